import type { Entries } from '../../rowMappers/deliverySearch.ts'
import { type DeliveryPosition, isNewer } from '../../storage.ts'
import { integers, numbers } from '../arrays.ts'
import type { Day } from '../partitions.ts'
import type { Tx } from '../transaction.ts'

const chunks = (entries: string) => `
  SELECT w.n, c.id, c.created_at
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::int[]) WITH ORDINALITY
    AS w (webhook_id, before_time, before_id, size, n)
  CROSS JOIN LATERAL (
    SELECT d.id, d.created_at FROM deliveries d
    WHERE ${entries} AND (d.created_at, d.id) < (w.before_time, w.before_id)
      AND d.created_at >= $5 AND d.created_at < $6
    ORDER BY d.created_at DESC, d.id DESC LIMIT w.size) c`

/** What comes next of each of some webhooks, within some days. */
export const walkSql = {
  all: chunks('d.webhook_id = w.webhook_id'),
  unhealthy: chunks('d.webhook_id = w.webhook_id AND d.ended_badly = $7'),
}

interface Row {
  /** Which of the webhooks, from 1. */
  readonly n: number
  readonly id: number
  readonly created_at: number
}

export interface Walked {
  readonly webhookId: number
  readonly entries: Entries
}

export interface WalkRange {
  /** Exclusive. */
  readonly before: DeliveryPosition
  /** Made at this time or later. */
  readonly from: number
  /** Those that there are, oldest first. */
  readonly days: readonly Day[]
  /** How many days to look at first, times the webhooks. */
  readonly firstSteps: number
}

/** A webhook, and how far its deliveries were read. */
interface Source extends Walked {
  at: DeliveryPosition
  /** How many were read the last time. */
  size: number
  /** Whether more may come within the days that are looked at. */
  open: boolean
}

/** Walks the deliveries of many webhooks at once, newest first, by the indexes alone. */
export class DeliveryWalk {
  readonly #tx: Tx
  readonly #sources: readonly Source[]
  /** Days that are still to be looked at, newest first. */
  readonly #days: Day[]
  readonly #from: number
  /** How many days to look at next. */
  #group: number
  #range: readonly [from: number, to: number] = [0, 0]
  /** What was read and not given out, newest first. */
  #read: DeliveryPosition[] = []

  constructor(tx: Tx, walked: readonly Walked[], { before, from, days, firstSteps }: WalkRange) {
    this.#tx = tx
    this.#sources = walked.map((source) => ({ ...source, at: before, size: 0, open: false }))
    this.#days = days.filter((day) => day.to > from && day.from <= before.createdAt).reverse()
    this.#from = from
    this.#group = Math.max(Math.floor(firstSteps / Math.max(walked.length, 1)), 1)
  }

  /** @returns the next `count`; fewer: these are the last */
  async next(count: number): Promise<readonly DeliveryPosition[]> {
    for (;;) {
      const last = this.#read[count - 1]
      // Whatever else these have, some of it may belong before the last.
      const unread = this.#sources.filter(({ open, at }) => open && (last === undefined || isNewer(at, last)))
      if (unread.length > 0) await this.#readOn(unread, count - this.#read.length)
      else if (last !== undefined || !this.#moveOn()) return this.#read.splice(0, count)
    }
  }

  /** Goes on to earlier days. @returns false when there are none */
  #moveOn(): boolean {
    const days = this.#days.splice(0, this.#group)
    if (days.length === 0) return false
    this.#group *= 2
    this.#range = [Math.max(days.at(-1)!.from, this.#from), days[0]!.to]
    for (const source of this.#sources) source.open = true
    return true
  }

  async #readOn(sources: readonly Source[], missing: number): Promise<void> {
    const fair = Math.ceil(missing / sources.length)
    for (const source of sources) source.size = Math.max(source.size * 2, fair, 1)
    const kinds = new Set(sources.map(({ entries }) => entries))
    const groups = [...kinds].map((kind) => sources.filter(({ entries }) => entries === kind))
    await Promise.all(groups.map((group) => this.#readChunks(group)))
    this.#read.sort((a, b) => (isNewer(a, b) ? -1 : 1))
  }

  async #readChunks(sources: readonly Source[]): Promise<void> {
    const { entries } = sources[0]!
    const values = [
      numbers(sources.map(({ webhookId }) => webhookId)),
      numbers(sources.map(({ at }) => at.createdAt)),
      numbers(sources.map(({ at }) => at.id)),
      integers(sources.map(({ size }) => size)),
      ...this.#range,
    ]
    const rows = await (entries === 'all'
      ? this.#tx.rows<Row>(walkSql.all, values)
      : this.#tx.rows<Row>(walkSql.unhealthy, [...values, entries]))
    const counts = new Map<Source, number>()
    for (const { n, id, created_at: createdAt } of rows) {
      const source = sources[n - 1]!
      const position = { createdAt, id }
      this.#read.push(position)
      if (isNewer(source.at, position)) source.at = position
      counts.set(source, (counts.get(source) ?? 0) + 1)
    }
    for (const source of sources) source.open = counts.get(source) === source.size
  }
}
