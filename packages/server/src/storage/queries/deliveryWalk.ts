import { groupBy } from '../../core/groupBy.ts'
import { type DeliveryPosition, isNewer } from '../storage.ts'
import { type Day, days } from './layout.ts'
import { each, type Fragment } from './sql.ts'
import { all, rowsOfEach, type Work } from './work.ts'

/** Which entries of a webhook to walk: those of one kind that has an index, or all. */
export type Entries = 'all' | Unhealthy | 'code'
/** `retrying`: pending, and tried already. */
export type Unhealthy = 'failed' | 'dead' | 'canceled' | 'retrying'

/**
 * The next deliveries of a webhook, within some days: those of the same millisecond as the position, and earlier ones. With a
 * comparison of both members of a position, SQLite would seek only by the time, and thousands of deliveries may share a
 * millisecond. Statuses are part of the SQL text: SQLite uses a partial index only if it knows them before it runs the
 * statement.
 */
const chunks = (from: Fragment, condition: Fragment, id = 'id') => {
  const step = (range: string) => {
    const spell = (driver: keyof Fragment) => `
      SELECT ${id} AS id, created_at AS "createdAt" FROM ${from[driver]}
      WHERE ${condition[driver]} AND webhook_id = x.webhook_id AND ${range} AND created_at >= $3 AND created_at < $4
      ORDER BY created_at DESC, ${id} DESC LIMIT x.size`
    return each(
      { webhook_id: 'bigint', before_time: 'bigint', before_id: 'bigint', size: 'bigint', code: 'bigint' },
      { sqlite: spell('sqlite'), postgres: spell('postgres') },
    )
  }
  return {
    sameTime: step(`created_at = x.before_time AND ${id} < x.before_id`),
    earlier: step('created_at < x.before_time'),
  }
}

const deliveries = (index: string): Fragment => ({
  sqlite: `deliveries INDEXED BY ${index}`,
  postgres: 'deliveries',
})
const both = (text: string): Fragment => ({ sqlite: text, postgres: text })

const unhealthy = (status: Unhealthy) =>
  chunks(deliveries('deliveries_unhealthy'), {
    sqlite: `status = '${status}'`,
    postgres: `ended_badly = '${status}'`,
  })

export const walkSql = {
  all: chunks(deliveries('deliveries_of_webhook'), both('true')),
  failed: unhealthy('failed'),
  dead: unhealthy('dead'),
  canceled: unhealthy('canceled'),
  retrying: chunks(deliveries('deliveries_retrying'), {
    sqlite: `status = 'pending' AND attempts > 0`,
    postgres: `ended_badly = 'retrying'`,
  }),
  code: chunks(both('search_codes'), both('code = x.code'), 'delivery_id'),
}

export interface Walked {
  readonly webhookId: number
  readonly entries: Entries
  /** For `code`: the one that is wanted, as the index has it. */
  readonly code?: number
}

interface WalkRange {
  /** Exclusive. */
  readonly before: DeliveryPosition
  /** Made at this time or later. */
  readonly from: number
  /** The number of webhooks times the days to look at first. */
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

const ALL_TIME = { from: 0, to: Number.MAX_SAFE_INTEGER } as const

/** Walks the deliveries of many webhooks in parallel, newest first, using only indexes. */
export class DeliveryWalk {
  /** It ends where all were looked at. */
  readonly stoppedAt = null
  readonly #sources: readonly Source[]
  /** Days that are still to be looked at, newest first. */
  readonly #days: Pick<Day, 'from' | 'to'>[]
  readonly #from: number
  /** How many days to look at next. */
  #group: number
  #range: readonly [from: number, to: number] = [0, 0]
  /** Rows that were read and not returned yet, newest first. */
  #read: DeliveryPosition[] = []

  private constructor(walked: readonly Walked[], known: readonly Day[], range: WalkRange) {
    const { before, from, firstSteps } = range
    this.#sources = walked.map((source) => ({ ...source, at: before, size: 0, open: false }))
    const kept = known.length === 0 ? [ALL_TIME] : known
    this.#days = kept.filter((day) => day.to > from && day.from <= before.createdAt).reverse()
    this.#from = from
    this.#group = Math.max(Math.floor(firstSteps / Math.max(walked.length, 1)), 1)
  }

  static *over(walked: readonly Walked[], range: WalkRange): Work<DeliveryWalk> {
    return new DeliveryWalk(walked, yield* days(), range)
  }

  /** @returns the next `count`; fewer: these are the last */
  *next(count: number): Work<readonly DeliveryPosition[]> {
    for (;;) {
      const last = this.#read[count - 1]
      // These sources may have more that belongs before the last.
      const unread = this.#sources.filter(({ open, at }) => open && (last === undefined || isNewer(at, last)))
      if (unread.length > 0) yield* this.#readOn(unread, count - this.#read.length)
      else if (last !== undefined || !this.#moveOn()) return this.#read.splice(0, count)
    }
  }

  /** Continues with earlier days. @returns false when there are none */
  #moveOn(): boolean {
    const group = this.#days.splice(0, this.#group)
    if (group.length === 0) return false
    this.#group *= 2
    this.#range = [Math.max(group.at(-1)!.from, this.#from), group[0]!.to]
    for (const source of this.#sources) source.open = true
    return true
  }

  *#readOn(sources: readonly Source[], missing: number): Work<void> {
    const fair = Math.ceil(missing / sources.length)
    for (const source of sources) source.size = Math.max(source.size * 2, fair, 1)
    yield* all(...[...groupBy(sources, ({ entries }) => entries)].map((group) => this.#readChunks(...group)))
    this.#read.sort((a, b) => (isNewer(a, b) ? -1 : 1))
  }

  *#readChunks(entries: Entries, sources: readonly Source[]): Work<void> {
    const asked = sources.map(({ webhookId, at, size, code = 0 }) => ({
      webhook_id: webhookId,
      before_time: at.createdAt,
      before_id: at.id,
      size,
      code,
    }))
    const { sameTime, earlier } = walkSql[entries]
    // No delivery has an id of 0 or less.
    const within = asked.filter(({ before_id }) => before_id > 0)
    const [ofSameTime, before] = yield* all(
      rowsOfEach<DeliveryPosition>(sameTime, within, null, this.#range),
      rowsOfEach<DeliveryPosition>(earlier, asked, null, this.#range),
    )
    const same = ofSameTime[Symbol.iterator]()
    for (const [n, source] of sources.entries()) {
      const first = source.at.id > 0 ? same.next().value! : []
      const found = [...first, ...before[n]!].slice(0, source.size)
      this.#read.push(...found)
      source.at = found.at(-1) ?? source.at
      source.open = found.length === source.size
    }
  }
}
