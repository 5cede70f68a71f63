import {
  type DeliveryFacts,
  entriesFor,
  isFound,
  needsFacts,
  searchStart,
} from '../../records/deliverySearch.ts'
import type { DeliveryPosition } from '../../storage.ts'
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
/** Deliveries that are first looked at where only some may match. */
const FIRST_BATCH = 128

export const searchSql = {
  webhooks: `
    SELECT id, canceled_through FROM webhooks
    WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 AND id <= $3`,
  /** In this order and within these times for the reasons that recordSql has. */
  facts: `
    SELECT d.id, d.status, w.canceled_through, e.type
    FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
      CROSS JOIN LATERAL (
        SELECT id, status, webhook_id, event_id, created_at FROM deliveries
        WHERE id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT type FROM events
        WHERE id = d.event_id AND created_at = d.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) e
      JOIN webhooks w ON w.id = d.webhook_id`,
}

interface WebhookRow {
  readonly id: number
  readonly canceled_through: number | null
}

type Search = VerbParams<'searchDeliveries'>

/** @returns a search over one webhook, or over all of a workspace merged; it must run in one snapshot. */
export function searcher(
  { partitions }: Pick<Store, 'partitions'>,
  { maxLooked = MAX_LOOKED, firstSteps = FIRST_STEPS } = {},
): (tx: Tx, search: Search) => Promise<VerbResult<'searchDeliveries'>> {
  async function walkOf(tx: Tx, search: Search): Promise<DeliveryWalk> {
    const { workspaceId, webhookId: only, status, from } = search
    const [webhooks, days] = await Promise.all([
      tx.rows<WebhookRow>(searchSql.webhooks, [workspaceId, only ?? 0, only ?? Number.MAX_SAFE_INTEGER]),
      partitions.list(tx),
    ])
    const walked = webhooks.map(({ id, canceled_through: through }) => ({
      webhookId: id,
      entries: entriesFor(status, through !== null),
    }))
    return new DeliveryWalk(tx, walked, { before: searchStart(search), from: from ?? 0, days, firstSteps })
  }

  /** Finds positions, without what stands there. */
  async function find(tx: Tx, search: Search) {
    const walk = await walkOf(tx, search)
    const found: DeliveryPosition[] = []
    let last = search.before
    let looked = 0
    for (let size = needsFacts(search) ? FIRST_BATCH : search.limit; ; size *= 2) {
      // One more than is looked at tells whether there is more.
      const count = Math.min(size, maxLooked - looked) + 1
      const batch = await walk.next(count)
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
  const rows = await tx.rows<DeliveryFacts>(searchSql.facts, placesOf(positions))
  const matching = new Set(rows.filter((facts) => isFound(facts, search)).map(({ id }) => id))
  return ({ id }) => matching.has(id)
}
