import type { DeliveryStatus } from '../../core/delivery.ts'
import { isAmong, mayBeSuccess } from '../../core/statusCodes.ts'
import type { VerbParams, VerbResult } from '../areas.ts'
import type { DeliveryRecord } from '../rows.ts'
import { type DeliveryFilter, type DeliveryPosition, isNewer } from '../storage.ts'
import { isBeingCanceled, readDeliveries, readDelivery } from './deliveries.ts'
import { DeliveryWalk, type Entries, type Unhealthy } from './deliveryWalk.ts'
import { inDayOf, LEASED, POSITIONS, positionValues, WAITING } from './layout.ts'
import { listInTransaction, type Queries } from './query.ts'
import { each, either, type Fragment, isOneOf, joinEach, leftJoinEach, numberList, sql } from './sql.ts'
import { all, row, rows, rowsOfEach, type Work } from './work.ts'

/**
 * Deliveries looked at in one call: some 8 ms for one webhook. All customers' lists on SQLite are read by one thread, and wait for
 * each other.
 */
const MAX_LOOKED = 2_500
/**
 * Steps down the indexes that are taken before any row is found, of each day for each webhook: some 2 ms. Days further
 * back are looked at in larger and larger groups.
 */
const FIRST_STEPS = 1_000
/** Rows among which leased deliveries are looked for: some 10 ms. */
const MAX_SPREAD = 10_000
/** Deliveries that are first looked at where only some may match. */
const FIRST_BATCH = 128

const facts = (columns: string, joins: Fragment | string) => sql`
  SELECT d.id, d.status, d.attempts, w.canceled_through AS "canceledThrough", e.type${columns}
  FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
  ${joinEach('events', 'e', sql`e.id = d.event_id ${inDayOf('e')}`)} ${joins}
  JOIN webhooks w ON w.id = d.webhook_id`

export const searchSql = {
  webhooks: sql`
    SELECT id, canceled_through AS "canceledThrough" FROM webhooks
    WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 AND id <= $3`,
  ofEvent: either({
    /** They have consecutive ids. One upper bound: of two, SQLite would seek by the one that lets more in. */
    sqlite: `
      SELECT d.id, d.created_at AS "createdAt"
      FROM events e
        CROSS JOIN deliveries d
          ON d.id >= e.first_delivery_id AND d.id < min(e.first_delivery_id + e.delivery_count, $5)
        CROSS JOIN webhooks w ON w.id = d.webhook_id
      WHERE e.id = $6 AND e.workspace_id = $1 AND w.deleted_at IS NULL AND d.webhook_id >= $2 AND d.webhook_id <= $3
      ORDER BY d.id DESC LIMIT $7`,
    /** One of a webhook at most, among those that it got in the same millisecond. */
    postgres: `
      SELECT d.id, d.created_at AS "createdAt"
      FROM webhooks w CROSS JOIN LATERAL (
        SELECT id, created_at FROM deliveries
        WHERE webhook_id = w.id AND created_at = $4 AND id < $5 AND event_id = $6 OFFSET 0) d
      WHERE w.workspace_id = $1 AND w.deleted_at IS NULL AND w.id >= $2 AND w.id <= $3
      ORDER BY d.id DESC LIMIT $7`,
  }),
  /** How many are leased, and how many rows it takes to find them: on PostgreSQL, ranges name others as well. */
  leasedCount: either({
    sqlite: `
      SELECT count(*) AS count, count(*) AS spread FROM (
        SELECT 1 FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL LIMIT ${MAX_SPREAD + 1})`,
    postgres: `
      SELECT coalesce(sum(open), 0)::bigint AS count,
        coalesce(sum(coalesce(cardinality(delivery_ids), last_id - first_id + 1)), 0)::bigint AS spread
      FROM leases WHERE id > 0`,
  }),
  waiting: each(
    { webhook_id: 'bigint' },
    sql`SELECT w.id, w.created_at AS "createdAt" FROM ${WAITING} w WHERE w.webhook_id = x.webhook_id LIMIT $3`,
  ),
  leased: sql`
    SELECT h.id, h.created_at AS "createdAt" FROM ${LEASED} h WHERE h.webhook_id ${isOneOf('$1', 'bigint')}`,
  facts: facts('', ''),
  /** The first attempt stands in the delivery's row when it succeeded. */
  factsAndCodes: facts(
    ', CASE WHEN a.number IS NULL THEN d.first_status_code ELSE a.status_code END AS "latestCode"',
    leftJoinEach('attempts', 'a', sql`a.delivery_id = d.id AND a.number = d.attempts ${inDayOf('a')}`),
  ),
}

interface SearchedWebhook {
  readonly id: number
  readonly canceledThrough: number | null
}

type SearchCall = VerbParams<'searchDeliveries'>

/** What a search looks at, newest first. */
interface Candidates {
  /** @returns the next `count`; fewer: these are the last */
  next(count: number): Work<readonly DeliveryPosition[]>
}

/** @returns a search over one webhook, all of a workspace merged, or one event. */
export function searcher({
  maxLooked = MAX_LOOKED,
  firstSteps = FIRST_STEPS,
} = {}): (search: SearchCall) => Work<VerbResult<'searchDeliveries'>> {
  function* candidates(search: SearchCall): Work<Candidates> {
    const { workspaceId, webhookId, event, from } = search
    const among = [workspaceId, webhookId ?? 0, webhookId ?? Number.MAX_SAFE_INTEGER]
    if (event !== null) {
      const bounds = [event.createdAt, eventBound(search, event), event.id, maxLooked + 1]
      return listed(yield* rows<DeliveryPosition>(searchSql.ofEvent, [...among, ...bounds]))
    }
    const webhooks = yield* rows<SearchedWebhook>(searchSql.webhooks, among)
    const pending = isForPending(search) ? yield* pendingOf(webhooks, maxLooked) : null
    if (pending !== null) return listed(inRange(search, pending))
    const walked = webhooks.flatMap(({ id, canceledThrough }) =>
      entriesFor(search, canceledThrough !== null).map((entries) => ({ webhookId: id, entries })),
    )
    return yield* DeliveryWalk.over(walked, { before: searchStart(search), from: from ?? 0, firstSteps })
  }

  /** Finds positions, without what stands there. */
  function* find(search: SearchCall): Work<{ found: DeliveryPosition[]; next: DeliveryPosition | null }> {
    const source = yield* candidates(search)
    const found: DeliveryPosition[] = []
    let last = search.before
    let looked = 0
    for (let size = needsFacts(search) ? FIRST_BATCH : search.limit; ; size *= 2) {
      // One more than is looked at tells whether there is more.
      const count = Math.min(size, maxLooked - looked) + 1
      const batch = yield* source.next(count)
      const matches = yield* matcher(search, batch)
      for (const position of batch) {
        if (found.length === search.limit || looked === maxLooked) return { found, next: last }
        looked++
        last = position
        if (matches(position)) found.push(position)
      }
      if (batch.length < count) return { found, next: null }
    }
  }

  return function* (search) {
    const { found, next } = yield* find(search)
    return { deliveries: yield* readDeliveries(found), next }
  }
}

export const searchQueries: Queries<'searchDeliveries' | 'getDelivery'> = {
  searchDeliveries: listInTransaction(searcher()),
  getDelivery: listInTransaction(
    ({ workspaceId, deliveryId }): Work<DeliveryRecord | null> => readDelivery(workspaceId, deliveryId),
  ),
}

/** @returns whether what the index does not know of one of these is as the search wants it. */
function* matcher(
  search: SearchCall,
  positions: readonly DeliveryPosition[],
): Work<(position: DeliveryPosition) => boolean> {
  if (!needsFacts(search) || positions.length === 0) return () => true
  const statement = search.statusCodes === null ? searchSql.facts : searchSql.factsAndCodes
  const known = yield* rows<DeliveryFacts>(statement, positionValues(positions))
  const matching = new Set(known.filter((one) => isFound(one, search)).map(({ id }) => id))
  return ({ id }) => matching.has(id)
}

/** @returns whatever may be pending of some webhooks, in no order; `null`: it is too much */
function* pendingOf(
  webhooks: readonly SearchedWebhook[],
  maxLooked: number,
): Work<readonly DeliveryPosition[] | null> {
  const asked = webhooks.map(({ id }) => ({ webhook_id: id }))
  const most = maxLooked + 1
  const [leased, waiting] = yield* all(
    row<{ readonly count: number; readonly spread: number }>(searchSql.leasedCount),
    rowsOfEach<DeliveryPosition>(searchSql.waiting, asked, most, [most]),
  )
  const { count, spread } = leased!
  const found = waiting.flat()
  if (count + found.length > maxLooked || spread > MAX_SPREAD) return null
  const ids = numberList(webhooks.map(({ id }) => id))
  return [...(yield* rows<DeliveryPosition>(searchSql.leased, [ids])), ...found]
}

function listed(positions: readonly DeliveryPosition[]): Candidates {
  const left = [...positions]
  return {
    // biome-ignore lint/correctness/useYield: nothing is left to ask for
    *next(count) {
      return left.splice(0, count)
    },
  }
}

type Search = DeliveryFilter & { readonly before: DeliveryPosition | null }

/** What a search must know of a delivery beyond its place in the index. */
interface DeliveryFacts {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceledThrough: number | null
  readonly type: string
  /** How often it was tried. */
  readonly attempts: number
  /** The code of the latest attempt; `null`: no response came. */
  readonly latestCode?: number | null
}

/** The first position that is out of the search's range, seen from the newer side. */
function searchStart({ before, to }: Search): DeliveryPosition {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  return before === null || isNewer(before, end) ? end : before
}

const UNHEALTHY: readonly Unhealthy[] = ['failed', 'dead', 'canceled', 'retrying']

/**
 * @param canceling whether rows of the webhook that are pending still may be shown as canceled
 * @returns what to walk, together, for the deliveries that a search wants
 */
function entriesFor(
  { status, statusCodes: codes }: Pick<DeliveryFilter, 'status' | 'statusCodes'>,
  canceling: boolean,
): readonly Entries[] {
  if (status === 'failed' || status === 'dead') return [status]
  if (status === 'canceled' && !canceling) return [status]
  if (codes === null) return ['all']
  // What was never tried has no code, and what was delivered was so by the code of its latest attempt.
  if (status === 'canceled') return ['canceled', 'retrying']
  if (status === 'pending') return ['retrying']
  if (mayBeSuccess(codes)) return ['all']
  return status === 'delivered' ? [] : UNHEALTHY
}

/**
 * Whether all that is pending should be read, if it is little, in place of a walk: what was never tried has no index by
 * time, and a walk would look at all that was delivered since.
 */
function isForPending({ status, statusCodes, event }: Search): boolean {
  return status === 'pending' && statusCodes === null && event === null
}

/** @returns those within the range of a search, newest first */
function inRange(search: Search, positions: readonly DeliveryPosition[]): DeliveryPosition[] {
  const start = searchStart(search)
  const from = search.from ?? 0
  return positions
    .filter((position) => position.createdAt >= from && isNewer(start, position))
    .sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** Whether a search must look at what the index does not know. */
function needsFacts({ status, eventType, statusCodes }: Search): boolean {
  return status !== null || eventType !== null || statusCodes !== null
}

function isFound(facts: DeliveryFacts, { status, eventType, statusCodes }: Search): boolean {
  if (eventType !== null && facts.type !== eventType) return false
  if (status !== null && status !== (isBeingCanceled(facts) ? 'canceled' : facts.status)) return false
  return statusCodes === null || (facts.attempts > 0 && isAmong(statusCodes, facts.latestCode ?? null))
}

/**
 * @param event whose deliveries are looked at, which are as old as it is
 * @returns what their ids must be below to be in the search's range; 0: none is
 */
function eventBound(search: Search, { createdAt }: { readonly createdAt: number }): number {
  const start = searchStart(search)
  if (createdAt < (search.from ?? 0) || createdAt > start.createdAt) return 0
  return createdAt === start.createdAt ? start.id : Number.MAX_SAFE_INTEGER
}
