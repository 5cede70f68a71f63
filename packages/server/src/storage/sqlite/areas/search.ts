import {
  type DeliveryFacts,
  entriesFor,
  isFound,
  isNewer,
  needsFacts,
  searchStart,
} from '../../records/deliverySearch.ts'
import type { DeliveryPosition } from '../../storage.ts'
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
  facts: `
    SELECT d.id, d.status, w.canceled_through, e.type
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id
    WHERE d.id = ?`,
}

interface WebhookRow {
  readonly id: number
  readonly canceled_through: number | null
}

type Search = VerbParams<'searchDeliveries'>

/** @returns a search over one webhook, or over all of a workspace merged; it must run in one transaction. */
export function searcher(
  db: Connection,
  maxLooked: number = MAX_LOOKED,
): (search: Search) => VerbResult<'searchDeliveries'> {
  const webhooks = db.prepare<[number], WebhookRow>(searchSql.webhooks)
  const webhook = db.prepare<[number, number], WebhookRow>(searchSql.webhook)
  const factsOf = db.prepare<[number], DeliveryFacts>(searchSql.facts)
  const records = deliveryRecords(db)
  const walk = deliveryWalker(db)

  function candidates(search: Search): Iterator<DeliveryPosition, undefined> {
    const { workspaceId, webhookId, status, limit } = search
    const walked = webhookId === null ? webhooks.all(workspaceId) : webhook.all(workspaceId, webhookId)
    const expected = Math.ceil((limit + 1) / Math.max(walked.length, 1))
    const range = { before: searchStart(search), from: search.from ?? 0, expected }
    const walks = walked.map(({ id, canceled_through }) =>
      walk({ webhookId: id, entries: entriesFor(status, canceled_through !== null), ...range }),
    )
    return merge(walks, isNewer)
  }

  function matches(deliveryId: number, search: Search): boolean {
    return !needsFacts(search) || isFound(factsOf.get(deliveryId)!, search)
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
