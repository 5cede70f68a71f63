import type { DeliveryStatus } from '../../../core/delivery.ts'
import type { DeliveryPosition } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import { merge } from '../merge.ts'
import type { VerbParams, VerbResult } from '../messages.ts'
import { deliveryRecords, isBeingCanceled } from './deliveryRecords.ts'
import { deliveryWalker, entriesFor } from './deliveryWalk.ts'

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

interface Facts {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceled_through: number | null
  readonly type: string
}

type Search = VerbParams<'searchDeliveries'>

/** @returns a search over one webhook, or over all of a workspace merged; it must run in one transaction. */
export function searcher(
  db: Connection,
  maxLooked: number = MAX_LOOKED,
): (search: Search) => VerbResult<'searchDeliveries'> {
  const webhooks = db.prepare<[number], WebhookRow>(searchSql.webhooks)
  const webhook = db.prepare<[number, number], WebhookRow>(searchSql.webhook)
  const factsOf = db.prepare<[number], Facts>(searchSql.facts)
  const records = deliveryRecords(db)
  const walk = deliveryWalker(db)

  function candidates(search: Search): Iterator<DeliveryPosition, undefined> {
    const { workspaceId, webhookId, status, limit } = search
    const walked = webhookId === null ? webhooks.all(workspaceId) : webhook.all(workspaceId, webhookId)
    const expected = Math.ceil((limit + 1) / Math.max(walked.length, 1))
    const range = { before: start(search), from: search.from ?? 0, expected }
    const walks = walked.map(({ id, canceled_through }) =>
      walk({ webhookId: id, entries: entriesFor(status, canceled_through !== null), ...range }),
    )
    return merge(walks, isNewer)
  }

  /** Whether what the index does not know is as the search wants it. */
  function matches(deliveryId: number, { status, eventType }: Search): boolean {
    if (status === null && eventType === null) return true
    const facts = factsOf.get(deliveryId)!
    if (eventType !== null && facts.type !== eventType) return false
    return status === null || status === (isBeingCanceled(facts) ? 'canceled' : facts.status)
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

/** The first position that is out of the search's range, seen from the newer side. */
function start({ before, to }: Search): DeliveryPosition {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  return before === null || isNewer(before, end) ? end : before
}

function isNewer(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}
