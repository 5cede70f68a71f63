import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

/** Deliveries that the call which switches a webhook off ends itself; upkeep ends the rest. */
const FIRST_CHUNK = 2_000
/** Webhooks looked at in one step. */
const MAX_WEBHOOKS = 500

export const cancelSql = {
  mark: `
    UPDATE webhooks SET canceled_through = (SELECT next_delivery_id - 1 FROM store), canceled_at = ?
    WHERE id = ?`,
  canceling: `
    SELECT id, canceled_through, canceled_at FROM webhooks INDEXED BY webhooks_canceling
    WHERE canceled_through IS NOT NULL ORDER BY canceled_at LIMIT ?`,
  one: 'SELECT id, canceled_through, canceled_at FROM webhooks WHERE id = ? AND canceled_through IS NOT NULL',
  cancelWaiting: `
    UPDATE deliveries SET status = 'canceled', next_attempt_at = NULL, finished_at = ?
    WHERE id IN (
      SELECT id FROM deliveries INDEXED BY deliveries_waiting
      WHERE status = 'pending' AND lease IS NULL AND webhook_id = ? AND id <= ? LIMIT ?)`,
  /** Those in flight keep their lease: whether they were delivered is still to come. */
  cancelLeased: `
    UPDATE deliveries SET status = 'canceled', next_attempt_at = NULL,
      finished_at = (SELECT canceled_at FROM webhooks WHERE id = webhook_id)
    WHERE id IN (
      SELECT d.id FROM deliveries d INDEXED BY deliveries_leased JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.lease IS NOT NULL AND d.status = 'pending' AND d.id <= w.canceled_through LIMIT ?)`,
  done: 'UPDATE webhooks SET canceled_through = NULL, canceled_at = NULL WHERE id = ?',
}

interface Canceling {
  readonly id: number
  readonly canceled_through: number
  readonly canceled_at: number
}

/**
 * Ends what is pending for webhooks that were switched off or deleted. Marking a webhook is what counts, and costs
 * one row: reads, claims and results go by the mark from then on. The rows follow in bounded steps.
 */
export function canceler(db: Connection) {
  const mark = db.prepare<[number, number]>(cancelSql.mark)
  const canceling = db.prepare<[number], Canceling>(cancelSql.canceling)
  const one = db.prepare<[number], Canceling>(cancelSql.one)
  const cancelWaiting = db.prepare<[number, number, number, number]>(cancelSql.cancelWaiting)
  const cancelLeased = db.prepare<[number]>(cancelSql.cancelLeased)
  const done = db.prepare<[number]>(cancelSql.done)

  /** @returns rows handled, webhooks that are done among them. */
  function sweep(webhooks: readonly Canceling[], limit: number): number {
    const swept: number[] = []
    let left = limit
    for (const webhook of webhooks) {
      left -= cancelWaiting.run(webhook.canceled_at, webhook.id, webhook.canceled_through, left).changes
      if (left === 0) break
      swept.push(webhook.id)
    }
    if (swept.length === 0) return limit - left
    // One pass over everything leased, for all webhooks together; what is leased to nodes fits in their memory.
    left -= cancelLeased.run(left).changes
    if (left === 0) return limit
    for (const id of swept) done.run(id)
    return limit - left + swept.length
  }

  return {
    /** Cancels everything pending at this moment. */
    cancel(webhookIds: readonly number[], now: number): void {
      if (webhookIds.length === 0) return
      for (const id of webhookIds) mark.run(now, id)
      const marked = webhookIds.slice(0, MAX_WEBHOOKS).map((id) => one.get(id)!)
      sweep(marked, FIRST_CHUNK)
    },
    goOn: (limit: number): number => sweep(canceling.all(MAX_WEBHOOKS), limit),
  }
}

export function cancelVerbs({ db }: Store): Pick<VerbTable, 'cancelDeliveries'> {
  const { goOn } = canceler(db)
  return { cancelDeliveries: ({ limit }) => goOn(limit) }
}
