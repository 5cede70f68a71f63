import { eachLine, line } from '../../core/stats/bucketText.ts'
import {
  attemptText,
  EVENTS_COUNTER,
  endedText,
  type Restarted,
  restartedText,
} from '../../core/stats/counters.ts'
import { compacted, writeCounts } from '../../core/stats/tally.ts'
import {
  KEPT_MS,
  STATS_SCOPES,
  type StatsScope,
  type StatsUnit,
  startOf,
  UNIT_MS,
} from '../../core/stats/units.ts'
import type { AttemptToRecord, EventToStore } from '../storage.ts'
import { sql } from './sql.ts'
import { all, run, type Work } from './work.ts'

const insertPendingCounts = sql`INSERT INTO pending_counts (at, scope, data) VALUES ($1, $2, $3)`

/** Keeps what a transaction counted, with it. */
export const addPendingCounts = ({ at, scope, data }: PendingCounts): Work<number> =>
  run(insertPendingCounts, [at, scope, data])

/** What a transaction counted. */
export interface PendingCounts {
  /** Unix ms, in the minute that it counts for. */
  readonly at: number
  readonly scope: 'workspace' | 'webhook'
  /** A bucket, in which an id may have several lines. */
  readonly data: string
}

export interface PendingCountsRow extends PendingCounts {
  readonly id: number
}

/**
 * Collects attempts while they are recorded; the rollup counts them later. Tests are not counted.
 */
export class PendingAttemptCounts {
  readonly #counts = new Map<number, string>()

  add({ webhookId, attempt, createdAt }: AttemptToRecord): void {
    if (attempt.trigger === 'test') return
    this.#add(webhookId, attemptText(attempt, createdAt))
  }

  /** Of an attempt that was added: it was the last one of its delivery. */
  failedForGood({ webhookId, attempt }: AttemptToRecord): void {
    if (attempt.trigger !== 'test') this.#add(webhookId, endedText('failed'))
  }

  get empty(): boolean {
    return this.#counts.size === 0
  }

  data(): string {
    let data = ''
    for (const [webhookId, counts] of this.#counts) data += line(webhookId, counts)
    return data
  }

  /** @param at the time for which they count */
  at(at: number): PendingCounts {
    return { at, scope: 'webhook', data: this.data() }
  }

  #add(webhookId: number, counts: string): void {
    const before = this.#counts.get(webhookId)
    this.#counts.set(webhookId, before === undefined ? counts : before + counts)
  }
}

/**
 * Collects how deliveries ended without an attempt, and which were started again, by the time at which they ended. A delivery that is
 * canceled while an attempt is under way counts once that is over. The caller leaves out tests.
 */
export class PendingEndCounts {
  readonly #minutes = new Map<number, Map<number, string>>()

  canceled(webhookId: number, at: number, deliveries = 1): void {
    if (deliveries > 0)
      this.#add(
        webhookId,
        at,
        deliveries === 1 ? endedText('canceled') : `${endedText('canceled')}*${deliveries}`,
      )
  }

  /** @param endedAt Unix ms, when it had ended */
  restarted(webhookId: number, endedAt: number, delivery: Restarted): void {
    this.#add(webhookId, endedAt, restartedText(delivery))
  }

  /** Keeps them with the transaction. Nearly every call has none. */
  save(): Work<unknown> {
    return all(
      ...Array.from(this.#minutes, ([at, counts]) =>
        addPendingCounts({
          at,
          scope: 'webhook',
          data: Array.from(counts, ([webhookId, text]) => line(webhookId, compacted(text))).join(''),
        }),
      ),
    )
  }

  #add(webhookId: number, at: number, counts: string): void {
    const minute = startOf(at, UNIT_MS.minute)
    const lines = this.#minutes.get(minute) ?? new Map<number, string>()
    this.#minutes.set(minute, lines)
    lines.set(webhookId, (lines.get(webhookId) ?? '') + counts)
  }
}

/** Collects events as they are published. */
export class PendingEventCounts {
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
  byMinute(): readonly PendingCounts[] {
    return Array.from(this.#minutes, ([at, counts]) => {
      const lines = Array.from(counts, ([id, events]) =>
        line(id, writeCounts(new Map([[EVENTS_COUNTER, events]]))),
      )
      return { at, scope: 'workspace', data: lines.join('') }
    })
  }
}

/** Webhooks or workspaces that share a bucket: a thousand and more bytes, which either store keeps in one place. */
const IDS_PER_BUCKET = 32

/** Rows of pending counts that one step reads: those of some 7,000 attempts, or of fewer where each transaction has few, whose rows take a while to delete. */
export const ROLLUP_STEP = { rows: 500, bytes: 100_000 } as const

/** @returns whether a step that got these was cut short */
export const isCutShort = (rows: readonly PendingCounts[]): boolean =>
  rows.length === ROLLUP_STEP.rows ||
  rows.reduce((sum, { data }) => sum + data.length, 0) >= ROLLUP_STEP.bytes

/** Rows of pending counts that a reading adds up; there are more only while they are not rolled up. */
export const PENDING_READ = 5_000

export const bucketIndexOf = (id: number): number => Math.floor(id / IDS_PER_BUCKET)

export const firstIdOf = (bucket: number): number => bucket * IDS_PER_BUCKET

/** Counts as they are written, by webhook or workspace. */
type Counts = Map<number, string>

interface Minute {
  readonly webhook: Counts
  readonly workspace: Counts
}

export interface BucketKey {
  readonly unit: StatsUnit
  readonly scope: StatsScope
  readonly at: number
  readonly bucket: number
}

/** Counts to add to a bucket. */
export interface BucketChange extends BucketKey {
  readonly counts: ReadonlyMap<number, string>
}

interface GrowingChange extends BucketChange {
  readonly counts: Counts
}

export function rollupOf(pendingCounts: readonly PendingCounts[]): Rollup {
  const rollup = new Rollup()
  for (const pending of pendingCounts) rollup.add(pending)
  return rollup
}

/** What several transactions counted, put together. */
export class Rollup {
  readonly #minutes = new Map<number, Minute>()
  readonly webhookIds = new Set<number>()

  add({ at, scope, data }: PendingCounts): void {
    const counts = this.#minute(startOf(at, UNIT_MS.minute))[scope]
    eachLine(data, (id, from, to) => {
      if (scope === 'webhook') this.webhookIds.add(id)
      append(counts, id, data.slice(from, to))
    })
  }

  /**
   * @param workspaceOf those that are gone have none, and count in what everything comes to
   * @param now Unix ms; buckets that are no longer kept get nothing, such as the minute in which a delivery ended that was started
   *   again a week later
   * @returns in an order that is the same for all who write buckets
   */
  changes(workspaceOf: ReadonlyMap<number, number>, now: number): readonly BucketChange[] {
    const changes = new Map<string, GrowingChange>()
    for (const [minute, { webhook: attempts, workspace: events }] of this.#minutes) {
      const webhook: Counts = new Map()
      const workspace = new Map(events)
      for (const [id, all] of attempts) {
        const counts = compacted(all)
        webhook.set(id, counts)
        const workspaceId = workspaceOf.get(id)
        if (workspaceId !== undefined) append(workspace, workspaceId, counts)
      }
      const all = [...events.values(), ...webhook.values()].join('')
      const scopes = { webhook, workspace, all: new Map([[0, all]]) }
      for (const scope of STATS_SCOPES) {
        for (const [id, counts] of scopes[scope]) {
          const sum = compacted(counts)
          for (const [unit, keptMs] of Object.entries(KEPT_MS[scope]) as [StatsUnit, number][]) {
            if (minute < now - keptMs) continue
            const key = { unit, scope, at: startOf(minute, UNIT_MS[unit]), bucket: bucketIndexOf(id) }
            append(changeOf(changes, key).counts, id, sum)
          }
        }
      }
    }
    return [...changes.values()].sort(byKey)
  }

  /** What one id has of a scope, by minute. */
  *countsOf(
    scope: StatsScope,
    id: number,
    workspaceOf: ReadonlyMap<number, number>,
  ): Generator<readonly [at: number, counts: string]> {
    for (const [at, { webhook, workspace }] of this.#minutes) {
      if (scope === 'webhook') yield [at, webhook.get(id) ?? '']
      else if (scope === 'all') yield [at, [...workspace.values(), ...webhook.values()].join('')]
      else {
        const mine = [...webhook].filter(([webhookId]) => workspaceOf.get(webhookId) === id)
        yield [at, (workspace.get(id) ?? '') + mine.map(([, counts]) => counts).join('')]
      }
    }
  }

  #minute(at: number): Minute {
    let minute = this.#minutes.get(at)
    if (minute === undefined) {
      minute = { webhook: new Map(), workspace: new Map() }
      this.#minutes.set(at, minute)
    }
    return minute
  }
}

function append(counts: Counts, id: number, more: string): void {
  const before = counts.get(id)
  counts.set(id, before === undefined ? more : before + more)
}

function changeOf(changes: Map<string, GrowingChange>, key: BucketKey): GrowingChange {
  const name = `${key.unit} ${key.scope} ${key.at} ${key.bucket}`
  let change = changes.get(name)
  if (change === undefined) {
    change = { ...key, counts: new Map() }
    changes.set(name, change)
  }
  return change
}

function byKey(one: BucketKey, other: BucketKey): number {
  if (one.unit !== other.unit) return one.unit < other.unit ? -1 : 1
  if (one.scope !== other.scope) return one.scope < other.scope ? -1 : 1
  return one.at - other.at || one.bucket - other.bucket
}
