import type { CallResult } from '../callGroups.ts'
import type { EventPosition, MissedEvents } from '../storage.ts'
import { list, type Queries } from './query.ts'
import type { Boolish } from './rowMappers.ts'
import { columns, either, sql } from './sql.ts'
import { all, row, rows, type Work } from './work.ts'

/** Events that one call looks at: some 15 ms. */
const MAX_LOOKED = 10_000
/** Stops of a webhook or workspace that are looked at, the newest. */
const MAX_STOPS = 10_000

const STOP = columns('beganAt endedAt beganAfter endedAfter')
const WITHIN = '(ended_at IS NULL OR ended_at >= $2) AND began_at < $3 ORDER BY id DESC LIMIT $4'

export const stopSql = {
  ofWebhook: sql`SELECT ${STOP} FROM stops WHERE webhook_id = $1 AND ${WITHIN}`,
  ofWorkspace: sql`SELECT ${STOP} FROM stops WHERE workspace_id = $1 AND webhook_id IS NULL AND ${WITHIN}`,
  created: sql`SELECT created_at AS "createdAt" FROM webhooks WHERE id = $1`,
  /** Events of a part of the feed, and whether they have a delivery to the webhook `$5`. */
  missed: either({
    sqlite: `
      SELECT id, type, created_at AS "createdAt", seq AS major, NULL AS minor, EXISTS (
        SELECT 1 FROM deliveries d INDEXED BY deliveries_of_webhook
        WHERE d.webhook_id = $5 AND d.created_at = e.created_at AND d.event_id = e.id) AS delivered
      FROM events e INDEXED BY events_feed
      WHERE workspace_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
    postgres: `
      SELECT e.id, e.type, e.created_at AS "createdAt", e.xact AS major, e.id AS minor, d.id IS NOT NULL AS delivered
      FROM (
        SELECT id, type, created_at, xact FROM events
        WHERE workspace_id = $1 AND (xact, id) > ($2, $6) AND xact <= $3 ORDER BY xact, id LIMIT $4) e
      LEFT JOIN LATERAL (
        SELECT id FROM deliveries
        WHERE webhook_id = $5 AND created_at = e.created_at AND event_id = e.id LIMIT 1) d ON true
      ORDER BY e.xact, e.id`,
  }),
}

/** A time in which nothing was published to a webhook, and the events that it missed, by positions in the feed. */
interface StopRow {
  readonly beganAt: number
  readonly endedAt: number | null
  readonly beganAfter: number
  readonly endedAfter: number | null
}

/** An event that came during a stop. */
export interface MissedRow {
  readonly id: number
  readonly type: string
  readonly createdAt: number
  readonly major: number
  readonly minor: number | null
  /** Whether the webhook has a delivery of it all the same. */
  readonly delivered: Boolish
}

/** A webhook, and a time in which it may have got no events. */
interface Stopped {
  readonly workspaceId: number
  readonly webhookId: number
  readonly from: number | null
  readonly to: number | null
}

/** Which events of a workspace a webhook missed. */
export interface MissedFilter extends Stopped {
  /** Empty: every type. */
  readonly eventTypes: readonly string[]
}

/** A part of the feed: the events after its first position, up to its last; or a part of time. */
interface Span {
  readonly after: number
  readonly through: number
}

/** A place in the feed. SQLite has no second number. */
export interface FeedPlace {
  readonly major: number
  readonly minor: number
}

/** Where a stop continues. */
const NO_END = Number.MAX_SAFE_INTEGER
/** Behind everything of the same transaction. */
const LAST_MINOR = Number.MAX_SAFE_INTEGER

export const stopQueries: Queries<'countMissed' | 'missedOf'> = {
  countMissed: list(function* (asked) {
    const filter = yield* sinceCreated(asked)
    return yield* count(filter, placesOf(yield* stopsWithin(filter)), { left: MAX_LOOKED })
  }),
  missedOf: list(function* (asked) {
    const filter = yield* sinceCreated({ ...asked, to: null })
    const stops = yield* stopsWithin(filter)
    const times = joined(
      stops.map(({ beganAt, endedAt }) => ({ after: beganAt, through: endedAt ?? NO_END })),
    )
    const last = times.at(-1)
    if (last === undefined) return null
    const budget = { left: MAX_LOOKED }
    const [ofLast, before] = [
      stops.filter(isSince(last.after)),
      stops.filter((stop) => !isSince(last.after)(stop)),
    ]
    const missed = yield* count(filter, placesOf(ofLast), budget)
    const earlier = before.length === 0 ? null : yield* count(filter, placesOf(before), budget)
    const beganAt = (at: number) => Math.max(at, filter.from)
    return {
      last: {
        ...missed,
        beganAt: beganAt(last.after),
        endedAt: last.through === NO_END ? null : last.through,
      },
      earlier: earlier === null ? null : { ...earlier, beganAt: beganAt(times[0]!.after) },
    }
  }),
}

const isSince =
  (at: number) =>
  ({ beganAt }: StopRow): boolean =>
    beganAt >= at

/** @param budget how many events may be looked at; is reduced by the number looked at */
function* count(
  filter: MissedFilter,
  spans: readonly Span[],
  budget: { left: number },
): Work<CallResult<'countMissed'>> {
  const found = new MissedCount()
  for (const { after, through } of spans) {
    if (budget.left === 0) break
    const looked = yield* read(filter, { major: after, minor: LAST_MINOR }, through, budget.left)
    budget.left -= looked.length
    for (const row of looked) if (isMissed(row, filter)) found.add(row)
  }
  return { ...found.result, more: budget.left === 0 }
}

/** A webhook missed nothing before it existed, though its workspace was suspended. */
function* sinceCreated<T extends Stopped>(filter: T): Work<T & { readonly from: number }> {
  const webhook = yield* row<{ readonly createdAt: number }>(stopSql.created, [filter.webhookId])
  return { ...filter, from: Math.max(filter.from ?? 0, webhook?.createdAt ?? 0) }
}

/** Events that were published during stops, by positions in the feed. */
const placesOf = (stops: readonly StopRow[]): readonly Span[] =>
  joined(stops.map(({ beganAfter, endedAfter }) => ({ after: beganAfter, through: endedAfter ?? NO_END })))

function* stopsWithin({ workspaceId, webhookId, from, to }: Stopped): Work<readonly StopRow[]> {
  const bounds = [from ?? 0, to ?? Number.MAX_SAFE_INTEGER, MAX_STOPS]
  const [own, others] = yield* all(
    rows<StopRow>(stopSql.ofWebhook, [webhookId, ...bounds]),
    rows<StopRow>(stopSql.ofWorkspace, [workspaceId, ...bounds]),
  )
  return [...own, ...others]
}

const read = (
  { workspaceId, webhookId }: MissedFilter,
  { major, minor }: FeedPlace,
  through: number,
  limit: number,
): Work<readonly MissedRow[]> =>
  rows<MissedRow>(stopSql.missed, [workspaceId, major, through, limit, webhookId, minor])

function isMissed(
  { type, createdAt, delivered }: MissedRow,
  { eventTypes, from, to }: Pick<MissedFilter, 'eventTypes' | 'from' | 'to'>,
): boolean {
  return (
    !delivered &&
    (eventTypes.length === 0 || eventTypes.includes(type)) &&
    createdAt >= (from ?? 0) &&
    createdAt < (to ?? Number.MAX_SAFE_INTEGER)
  )
}

/**
 * One step over what a webhook missed, in the order of the feed.
 * @param at the last event that was looked at; zeros: none yet
 * @param limit events that it looks at, at most
 * @returns `missed`: those without a delivery; `looked`: how many it looked at; `atEnd`: nothing comes after them
 */
export function* nextMissed(
  asked: MissedFilter,
  at: FeedPlace,
  limit: number,
): Work<{
  readonly missed: readonly MissedRow[]
  readonly looked: number
  readonly at: FeedPlace
  readonly atEnd: boolean
}> {
  const filter = yield* sinceCreated(asked)
  for (const { after, through } of placesOf(yield* stopsWithin(filter))) {
    if (through < at.major) continue
    const place = at.major > after ? at : { major: after, minor: LAST_MINOR }
    const looked = yield* read(filter, place, through, limit)
    const last = looked.at(-1)
    if (last === undefined) continue
    const missed = looked.filter((row) => isMissed(row, filter))
    return {
      missed,
      looked: looked.length,
      at: { major: last.major, minor: last.minor ?? 0 },
      atEnd: false,
    }
  }
  return { missed: [], looked: 0, at, atEnd: true }
}

/** @returns the same spans in their order, those that overlap as one */
function joined(spans: readonly Span[]): readonly Span[] {
  const found: { after: number; through: number }[] = []
  for (const span of [...spans].sort((one, other) => one.after - other.after)) {
    const last = found.at(-1)
    if (last === undefined || last.through < span.after) found.push({ ...span })
    else last.through = Math.max(last.through, span.through)
  }
  return found
}

class MissedCount {
  readonly #types = new Map<string, number>()
  #count = 0
  #before: EventPosition | null = null

  add({ type, major, minor }: MissedRow): void {
    this.#count++
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
    this.#before ??= minor === null ? [major - 1] : [major, minor - 1]
  }

  get result(): Omit<MissedEvents, 'more'> {
    const types = Array.from(this.#types, ([type, count]) => ({ type, count }))
    return {
      count: this.#count,
      types: types.sort((one, other) => other.count - one.count),
      before: this.#before,
    }
  }
}
