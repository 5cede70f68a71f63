import type { RunTrigger } from '../../core/delivery.ts'
import type { ReplayedStatus } from '../rows.ts'
import type { DeliveryPosition, ReplayFilter, ReplayPosition } from '../storage.ts'

/** A webhook and its deliveries that come next, oldest first. */
export interface EndedOf {
  readonly webhookId: number
  readonly ended: readonly EndedRow[]
}

/** A delivery that ended without success. */
export interface EndedRow extends DeliveryPosition {
  readonly status: ReplayedStatus
  readonly type: string
  readonly trigger: RunTrigger
  readonly finishedAt: number
}

export const byAge = (one: DeliveryPosition, other: DeliveryPosition): number =>
  one.createdAt - other.createdAt || one.id - other.id

export const beginning = ({ from }: Pick<ReplayFilter, 'from'>, webhookId: number): ReplayPosition => ({
  webhookId,
  time: from ?? 0,
  deliveryId: 0,
})

/** How far one call goes over webhooks and their deliveries. */
export class Walk {
  /** The last delivery that was looked at; at the beginning of a webhook, a position before its first. */
  at: ReplayPosition
  /** Rows that may still be looked at. */
  left: number
  /** The matching deliveries that it passed. */
  readonly passed: EndedRow[] = []
  /** Whether nothing comes after it. */
  atEnd = false
  readonly #filter: ReplayFilter
  readonly #most: number

  /** @param most how many may pass */
  constructor(filter: ReplayFilter, at: ReplayPosition, limit: number, most = Number.MAX_SAFE_INTEGER) {
    this.#filter = filter
    this.at = at
    this.left = limit
    this.#most = most
  }

  go(found: readonly EndedOf[]): void {
    for (const { webhookId, ended } of found) {
      if (this.left === 0) return
      if (webhookId !== this.at.webhookId) this.at = beginning(this.#filter, webhookId)
      this.#goOver(webhookId, ended.slice(0, this.left))
      if (this.left === 0 || this.passed.length === this.#most) return
      this.at = beginning(this.#filter, webhookId + 1)
      this.left--
    }
    if (this.left > 0) this.end()
  }

  end(): void {
    this.atEnd = true
    this.left--
  }

  #goOver(webhookId: number, ended: readonly EndedRow[]): void {
    for (const row of ended) {
      if (this.passed.length === this.#most) return
      this.at = { webhookId, time: row.createdAt, deliveryId: row.id }
      this.left--
      if (this.#includes(row)) this.passed.push(row)
    }
  }

  #includes({ type, trigger }: EndedRow): boolean {
    const { eventTypes } = this.#filter
    return trigger !== 'test' && (eventTypes.length === 0 || eventTypes.includes(type))
  }
}
