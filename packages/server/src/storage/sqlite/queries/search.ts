import { isAmong } from '../../../core/statusCodes.ts'
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
import { type DeliveryPosition, isNewer } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import { merge } from '../merge.ts'
import type { VerbParams, VerbResult } from '../messages.ts'
import { deliveryRecords } from './deliveryRecords.ts'
import { deliveryWalker } from './deliveryWalk.ts'

/**
 * Deliveries looked at in one call: some 8 ms for one webhook. All customers' lists are read by one thread, and wait for
 * each other.
 */
const MAX_LOOKED = 2_500

export const searchSql = {
  webhooks: 'SELECT id, canceled_through FROM webhooks WHERE workspace_id = ? AND deleted_at IS NULL',
  webhook:
    'SELECT id, canceled_through FROM webhooks WHERE workspace_id = ? AND deleted_at IS NULL AND id = ?',
  /** They have consecutive ids. One upper bound: of two, SQLite would seek by the one that lets more in. */
  ofEvent: `
    SELECT d.created_at AS createdAt, d.id
    FROM events e
      CROSS JOIN deliveries d
        ON d.id >= e.first_delivery_id AND d.id < min(e.first_delivery_id + e.delivery_count, @below)
      CROSS JOIN webhooks w ON w.id = d.webhook_id
    WHERE e.id = @eventId AND e.workspace_id = @workspaceId AND w.deleted_at IS NULL
      AND (@webhookId IS NULL OR d.webhook_id = @webhookId)
    ORDER BY d.id DESC LIMIT @limit`,
  /** By the index alone: whether the rest is worth it. */
  heldCount: `
    SELECT count(*) FROM (SELECT 1 FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL LIMIT ?)`,
  waiting: `
    SELECT created_at AS createdAt, id FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ? LIMIT ?`,
  held: `
    SELECT created_at AS createdAt, id, webhook_id AS webhookId FROM deliveries INDEXED BY deliveries_leased
    WHERE lease IS NOT NULL`,
  type: 'SELECT e.type FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = ?',
  facts: `
    SELECT d.id, d.status, d.attempts, w.canceled_through, e.type
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id
    WHERE d.id = ?`,
  /** The first attempt stands in the delivery's row when it succeeded. */
  latestCode: `
    SELECT CASE WHEN a.number IS NULL THEN d.first_status_code ELSE a.status_code END
    FROM deliveries d LEFT JOIN attempts a ON a.delivery_id = d.id AND a.number = d.attempts WHERE d.id = ?`,
}

interface WebhookRow {
  readonly id: number
  readonly canceled_through: number | null
}

type Search = VerbParams<'searchDeliveries'>

/** @returns a search over one webhook, all of a workspace merged, or one event; it must run in one transaction. */
export function searcher(
  db: Connection,
  maxLooked: number = MAX_LOOKED,
): (search: Search) => VerbResult<'searchDeliveries'> {
  const webhooks = db.prepare<[number], WebhookRow>(searchSql.webhooks)
  const webhook = db.prepare<[number, number], WebhookRow>(searchSql.webhook)
  const ofEvent = db.prepare<Record<string, number | null>, DeliveryPosition>(searchSql.ofEvent)
  const pendingOf = pendingReader(db, maxLooked)
  const factsOf = db.prepare<[number], DeliveryFacts>(searchSql.facts)
  const typeOf = db.prepare<[number], string>(searchSql.type).pluck()
  const latestCode = db.prepare<[number], number | null>(searchSql.latestCode).pluck()
  const records = deliveryRecords(db)
  const walk = deliveryWalker(db)

  function candidates(search: Search): Iterator<DeliveryPosition, undefined> {
    const { workspaceId, webhookId, event, limit } = search
    if (event !== null) {
      const below = eventBound(search, event)
      return ofEvent
        .all({ workspaceId, webhookId, eventId: event.id, below, limit: maxLooked + 1 })
        [Symbol.iterator]()
    }
    const walked = webhookId === null ? webhooks.all(workspaceId) : webhook.all(workspaceId, webhookId)
    const pending = isForPending(search) ? pendingOf(walked) : null
    if (pending !== null) return inRange(search, pending)[Symbol.iterator]()
    const expected = Math.ceil((limit + 1) / Math.max(walked.length, 1))
    const range = { before: searchStart(search), from: search.from ?? 0, expected }
    const walks = walked.flatMap(({ id, canceled_through }) =>
      entriesFor(search, canceled_through !== null).map((entries) =>
        walk({ webhookId: id, entries, ...range }),
      ),
    )
    return merge(walks, isNewer)
  }

  function matches(deliveryId: number, search: Search): boolean {
    if (!needsFacts(search)) return true
    const { eventType, statusCodes } = search
    // Where almost nothing matches, most is known from a part of the facts.
    if (eventType !== null && typeOf.get(deliveryId) !== eventType) return false
    if (statusCodes !== null && !isAmong(statusCodes, latestCode.get(deliveryId)!)) return false
    return isFound(factsOf.get(deliveryId)!, search, () => latestCode.get(deliveryId)!)
  }

  return (search) => {
    const found: number[] = []
    const source = candidates(search)
    let last = search.before
    for (let looked = 0; ; looked++) {
      // Before any stop, so that the last of all is known to be it.
      const { done, value } = source.next()
      const next = done ? null : last
      if (done || found.length === search.limit || looked === maxLooked)
        return { deliveries: found.map((id) => records.get(search.workspaceId, id)!), next }
      last = value
      if (matches(value.id, search)) found.push(value.id)
    }
  }
}

/** @returns a function that reads whatever may be pending of some webhooks, in no order; `null`: it is too much */
function pendingReader(
  db: Connection,
  maxLooked: number,
): (webhooks: readonly WebhookRow[]) => DeliveryPosition[] | null {
  const heldCount = db.prepare<[number], number>(searchSql.heldCount).pluck()
  const waiting = db.prepare<[number, number], DeliveryPosition>(searchSql.waiting)
  const held = db.prepare<[], DeliveryPosition & { readonly webhookId: number }>(searchSql.held)

  return (webhooks) => {
    const found: DeliveryPosition[] = []
    const most = maxLooked - heldCount.get(maxLooked + 1)!
    for (const { id } of webhooks) {
      if (found.length <= most) found.push(...waiting.all(id, most - found.length + 1))
    }
    if (found.length > most) return null
    const ids = new Set(webhooks.map(({ id }) => id))
    return [...found, ...held.all().filter(({ webhookId }) => ids.has(webhookId))]
  }
}
