import { attemptText, EVENTS_PLACE } from '../../core/figures/places.ts'
import { line } from '../../core/figures/sheet.ts'
import { writeCounts } from '../../core/figures/tally.ts'
import { startOf, UNIT_MS } from '../../core/figures/units.ts'
import type { AttemptToRecord, EventToStore } from '../storage.ts'

/** What a transaction counted. */
export interface Delta {
  /** Unix ms, in the minute that it counts for. */
  readonly at: number
  readonly scope: 'workspace' | 'webhook'
  /** A sheet, in which an id may have several lines. */
  readonly data: string
}

export interface DeltaRow extends Delta {
  readonly id: number
}

/** Collects attempts as they are recorded: they are written down as they come, and counted by whoever folds them. */
export class AttemptDelta {
  readonly #counts = new Map<number, string>()

  add({ webhookId, attempt, createdAt }: AttemptToRecord): void {
    const before = this.#counts.get(webhookId)
    const counts = attemptText(attempt, createdAt)
    this.#counts.set(webhookId, before === undefined ? counts : before + counts)
  }

  get empty(): boolean {
    return this.#counts.size === 0
  }

  data(): string {
    let data = ''
    for (const [webhookId, counts] of this.#counts) data += line(webhookId, counts)
    return data
  }
}

/** Collects events as they are published. */
export class EventDeltas {
  readonly #minutes = new Map<number, Map<number, number>>()

  add({ workspaceId, createdAt }: Pick<EventToStore, 'workspaceId' | 'createdAt'>): void {
    const at = startOf(createdAt, UNIT_MS.minute)
    let counts = this.#minutes.get(at)
    if (counts === undefined) {
      counts = new Map()
      this.#minutes.set(at, counts)
    }
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  }

  /** One for each minute, so mostly one. */
  deltas(): readonly Delta[] {
    return Array.from(this.#minutes, ([at, counts]) => {
      const lines = Array.from(counts, ([id, events]) =>
        line(id, writeCounts(new Map([[EVENTS_PLACE, events]]))),
      )
      return { at, scope: 'workspace', data: lines.join('') }
    })
  }
}
