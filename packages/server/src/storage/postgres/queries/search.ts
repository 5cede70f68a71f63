import {
  type DeliveryFacts,
  entriesFor,
  eventBound,
  inRange,
  isForPending,
  isFound,
  needsFacts,
  searchStart,
} from '../../rowMappers/deliverySearch.ts'
import type { DeliveryPosition } from '../../storage.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import type { VerbParams, VerbResult } from '../verb.ts'
import { placesOf, readDeliveries } from './deliveryRecords.ts'
import { DeliveryWalk } from './deliveryWalk.ts'

/** Deliveries looked at in one call. */
const MAX_LOOKED = 2_500
/**
 * Steps down the indexes that are taken before any row is found, of each day for each webhook: some 2 ms. Days further
 * back are looked at in larger and larger groups.
 */
const FIRST_STEPS = 1_000
/** Rows among which what nodes hold is looked for: some 10 ms. */
const MAX_SPREAD = 10_000
/** Deliveries that are first looked at where only some may match. */
const FIRST_BATCH = 128

/** In this order and within these times for the reasons that recordSql has. */
const facts = (columns: string, joins: string): string => `
    SELECT d.id, d.status, d.attempts, w.canceled_through, e.type${columns}
    FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT type FROM events
        WHERE id = d.event_id AND created_at = d.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) e${joins}
      JOIN webhooks w ON w.id = d.webhook_id`

export const searchSql = {
  webhooks: `
    SELECT id, canceled_through FROM webhooks
    WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 AND id <= $3`,
  /** One of a webhook at most, among those that it got in the same millisecond. */
  ofEvent: `
    SELECT d.id, d.created_at
    FROM webhooks w CROSS JOIN LATERAL (
      SELECT id, created_at FROM deliveries
      WHERE webhook_id = w.id AND created_at = $4 AND id < $5 AND event_id = $6 OFFSET 0) d
    WHERE w.workspace_id = $1 AND w.deleted_at IS NULL AND w.id >= $2 AND w.id <= $3
    ORDER BY d.id DESC LIMIT $7`,
  /** How many are held, and how many rows it takes to find them: ranges name others as well. */
  heldCount: `
    SELECT coalesce(sum(open), 0)::bigint AS count,
      coalesce(sum(coalesce(cardinality(delivery_ids), last_id - first_id + 1)), 0)::bigint AS spread
    FROM leases WHERE id > 0`,
  waiting: `
    SELECT w.delivery_id AS id, w.created_at
    FROM unnest($1::bigint[]) AS x (webhook_id)
      CROSS JOIN LATERAL (
        SELECT delivery_id, created_at FROM waiting WHERE webhook_id = x.webhook_id LIMIT $2) w
    LIMIT $2`,
  held: `
    SELECT h.id, h.created_at
    FROM (SELECT id, created_at, webhook_id FROM held_deliveries OFFSET 0) h
      JOIN unnest($1::bigint[]) AS x (webhook_id) ON x.webhook_id = h.webhook_id`,
  facts: facts('', ''),
  /** The first attempt stands in the delivery's row when it succeeded. */
  factsAndCodes: facts(
    ', CASE WHEN a.number IS NULL THEN d.first_status_code ELSE a.status_code END AS latest_code',
    `
      LEFT JOIN LATERAL (
        SELECT number, status_code FROM attempts
        WHERE delivery_id = d.id AND number = d.attempts AND created_at = d.created_at
          AND created_at BETWEEN $3 AND $4 OFFSET 0) a ON true`,
  ),
}

interface WebhookRow {
  readonly id: number
  readonly canceled_through: number | null
}

type Facts = DeliveryFacts & { readonly latest_code?: number | null }

type Search = VerbParams<'searchDeliveries'>

/** What a search looks at, newest first. */
interface Candidates {
  /** @returns the next `count`; fewer: these are the last */
  next(count: number): Promise<readonly DeliveryPosition[]>
}

/** @returns a search over one webhook, all of a workspace merged, or one event; it must run in one snapshot. */
export function searcher(
  { partitions }: Pick<Store, 'partitions'>,
  { maxLooked = MAX_LOOKED, firstSteps = FIRST_STEPS } = {},
): (tx: Tx, search: Search) => Promise<VerbResult<'searchDeliveries'>> {
  async function candidates(tx: Tx, search: Search): Promise<Candidates> {
    const { workspaceId, webhookId: only, event, from } = search
    if (event !== null) return ofEvent(tx, search, event, maxLooked + 1)
    const [webhooks, days] = await Promise.all([
      tx.rows<WebhookRow>(searchSql.webhooks, [workspaceId, only ?? 0, only ?? Number.MAX_SAFE_INTEGER]),
      partitions.list(tx),
    ])
    const pending = isForPending(search) ? await pendingOf(tx, webhooks, maxLooked) : null
    if (pending !== null) return listed(inRange(search, pending))
    const walked = webhooks.flatMap(({ id, canceled_through: through }) =>
      entriesFor(search, through !== null).map((entries) => ({ webhookId: id, entries })),
    )
    return new DeliveryWalk(tx, walked, { before: searchStart(search), from: from ?? 0, days, firstSteps })
  }

  /** Finds positions, without what stands there. */
  async function find(tx: Tx, search: Search) {
    const source = await candidates(tx, search)
    const found: DeliveryPosition[] = []
    let last = search.before
    let looked = 0
    for (let size = needsFacts(search) ? FIRST_BATCH : search.limit; ; size *= 2) {
      // One more than is looked at tells whether there is more.
      const count = Math.min(size, maxLooked - looked) + 1
      const batch = await source.next(count)
      const matches = await matcher(tx, search, batch)
      for (const position of batch) {
        if (found.length === search.limit || looked === maxLooked) return { found, next: last }
        looked++
        last = position
        if (matches(position)) found.push(position)
      }
      if (batch.length < count) return { found, next: null }
    }
  }

  return async (tx, search) => {
    const { found, next } = await find(tx, search)
    return { deliveries: await readDeliveries(tx, found), next }
  }
}

/** @returns whether what the index does not know of one of these is as the search wants it. */
async function matcher(
  tx: Tx,
  search: Search,
  positions: readonly DeliveryPosition[],
): Promise<(position: DeliveryPosition) => boolean> {
  if (!needsFacts(search) || positions.length === 0) return () => true
  const statement = search.statusCodes === null ? searchSql.facts : searchSql.factsAndCodes
  const rows = await tx.rows<Facts>(statement, placesOf(positions))
  const found = rows.filter((row) => isFound(row, search, () => row.latest_code ?? null))
  const matching = new Set(found.map(({ id }) => id))
  return ({ id }) => matching.has(id)
}

async function ofEvent(
  tx: Tx,
  search: Search,
  event: NonNullable<Search['event']>,
  limit: number,
): Promise<Candidates> {
  const { workspaceId, webhookId: only } = search
  const rows = await tx.rows<PositionRow>(searchSql.ofEvent, [
    workspaceId,
    only ?? 0,
    only ?? Number.MAX_SAFE_INTEGER,
    event.createdAt,
    eventBound(search, event),
    event.id,
    limit,
  ])
  return listed(rows.map(toPosition))
}

/** @returns whatever may be pending of some webhooks, in no order; `null`: it is too much */
async function pendingOf(
  tx: Tx,
  webhooks: readonly WebhookRow[],
  maxLooked: number,
): Promise<DeliveryPosition[] | null> {
  const ids = numbers(webhooks.map(({ id }) => id))
  const [held, waiting] = await Promise.all([
    tx.row<{ readonly count: number; readonly spread: number }>(searchSql.heldCount),
    tx.rows<PositionRow>(searchSql.waiting, [ids, maxLooked + 1]),
  ])
  const { count, spread } = held!
  if (count + waiting.length > maxLooked || spread > MAX_SPREAD) return null
  return [...(await tx.rows<PositionRow>(searchSql.held, [ids])), ...waiting].map(toPosition)
}

interface PositionRow {
  readonly id: number
  readonly created_at: number
}

const toPosition = ({ id, created_at: createdAt }: PositionRow): DeliveryPosition => ({ id, createdAt })

const listed = (positions: DeliveryPosition[]): Candidates => ({
  next: async (count) => positions.splice(0, count),
})
