import type { DeliveryStatus } from '../../core/delivery.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { StoredEvent } from '../rows.ts'
import { type DeliveryCounts, type DeliveryPosition, isNewer } from '../storage.ts'
import { isBeingCanceled } from './deliveries.ts'
import { EventMatches, type FoundEvent } from './eventMatches.ts'
import { EVENT_COLUMNS } from './feed.ts'
import { inDayOf, POSITIONS, positionValues } from './layout.ts'
import { listInTransaction, type Queries } from './query.ts'
import { each, joinEach, sql } from './sql.ts'
import { all, row, rows, rowsOfEach, type Work } from './work.ts'

/** Looks for a delivery of an event at a webhook, of one page. */
const MOST_PROBES = 20_000
/** Deliveries of one event that are counted. */
const MOST_COUNTED = 10_000

const COUNTED = 'd.id, d.status, w.canceled_through AS "canceledThrough"'

const searchEventsSql = {
  page: sql`
    SELECT ${EVENT_COLUMNS} FROM ${POSITIONS} ${joinEach('events', 'e', sql`e.id = x.id AND e.workspace_id = $4 ${inDayOf('e')}`)}`,
  webhooks: sql`SELECT count(*) AS count FROM (
    SELECT 1 FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL LIMIT ${String(MOST_PROBES)}) counted`,
  deliveries: each(
    { id: 'bigint', created_at: 'bigint' },
    {
      sqlite: `
        SELECT ${COUNTED} FROM events e
          CROSS JOIN deliveries d ON d.id >= e.first_delivery_id AND d.id < e.first_delivery_id + e.delivery_count
          CROSS JOIN webhooks w ON w.id = d.webhook_id
        WHERE e.id = x.id AND w.deleted_at IS NULL AND w.workspace_id = $3
        UNION ALL
        SELECT ${COUNTED} FROM added_deliveries a
          CROSS JOIN deliveries d ON d.id = a.delivery_id
          CROSS JOIN webhooks w ON w.id = d.webhook_id
        WHERE a.event_id = x.id AND w.deleted_at IS NULL AND w.workspace_id = $3 LIMIT ${MOST_COUNTED}`,
      postgres: `
        SELECT ${COUNTED} FROM webhooks w CROSS JOIN LATERAL (
          SELECT id, status FROM deliveries
          WHERE webhook_id = w.id AND created_at = x.created_at AND event_id = x.id OFFSET 0) d
        WHERE w.workspace_id = $3 AND w.deleted_at IS NULL LIMIT ${MOST_COUNTED}`,
    },
  ),
}

export const searchEventQueries: Queries<'searchEvents'> = { searchEvents: listInTransaction(searchEvents) }

function* searchEvents(search: CallParams<'searchEvents'>): Work<CallResult<'searchEvents'>> {
  const { workspaceId, limit, before } = search
  const { found, next, reachesUntil } = yield* find(search)
  if (found.length === 0) return { events: [], counts: [], next, reachesUntil }
  const [page, counts] = yield* all(
    rows<StoredEvent>(searchEventsSql.page, [...positionValues(found), workspaceId]),
    countDeliveries(workspaceId, found),
  )
  const byId = new Map(page.map((event) => [event.id, event]))
  const kept = found.flatMap(({ id }, position) => {
    const event = byId.get(id)
    return event === undefined ? [] : [{ event, count: counts[position]! }]
  })
  return {
    events: kept.map(({ event }) => event),
    counts: kept.map(({ count }) => count),
    next: found.length < limit && next === before ? null : next,
    reachesUntil,
  }
}

interface Found {
  readonly found: readonly FoundEvent[]
  readonly next: DeliveryPosition | null
  readonly reachesUntil: number | null
}

function* find(search: CallParams<'searchEvents'>): Work<Found> {
  const { workspaceId, eventTypes, text, event, from, to, limit, before } = search
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  const start = before === null || isNewer(before, end) ? end : before
  if (event !== null) {
    const isIn = isNewer(start, event) && event.createdAt >= (from ?? 0)
    return { found: isIn ? [event] : [], next: null, reachesUntil: null }
  }
  const range = { from: from ?? 0, through: start.createdAt }
  const matches = yield* EventMatches.of({ workspaceId, eventTypes, text, tests: false, ...range })
  const found: FoundEvent[] = []
  for (;;) {
    // One more than is shown reveals whether there is another page.
    const some = yield* matches.next(limit + 1)
    found.push(...some.filter((one) => isNewer(start, one)))
    const { reachesUntil } = matches
    if (found.length > limit) return { found: found.slice(0, limit), next: found[limit - 1]!, reachesUntil }
    if (some.length <= limit) return { found, next: matches.stoppedAt, reachesUntil }
  }
}

interface Counted {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceledThrough: number | null
}

/** @returns `null` where the workspace has too many webhooks to look at each of them for each event */
function* countDeliveries(
  workspaceId: number,
  events: readonly FoundEvent[],
): Work<readonly (DeliveryCounts | null)[]> {
  const { count } = (yield* row<{ readonly count: number }>(searchEventsSql.webhooks, [workspaceId]))!
  if (count * events.length > MOST_PROBES) return events.map(() => null)
  const asked = events.map(({ id, createdAt }) => ({ id, created_at: createdAt }))
  const found = yield* rowsOfEach<Counted>(searchEventsSql.deliveries, asked, null, [workspaceId])
  return found.map(countsOf)
}

function countsOf(deliveries: readonly Counted[]): DeliveryCounts {
  const counts = { pending: 0, delivered: 0, failed: 0, canceled: 0 }
  for (const one of deliveries) {
    if (isBeingCanceled(one)) counts.canceled++
    else counts[one.status === 'dead' ? 'failed' : one.status]++
  }
  return counts
}
