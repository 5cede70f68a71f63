import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'
import { type VerbTable, writes } from '../verb.ts'

/** Deliveries that the call which switches a webhook off ends itself; upkeep ends the rest. */
const FIRST_CHUNK = 2_000
/** Webhooks looked at in one step. */
const MAX_WEBHOOKS = 500

export const cancelSql = {
  /** No publish to these is under way, so every later delivery has a higher id. */
  mark: `
    UPDATE webhooks SET canceled_at = $2,
      canceled_through = (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM delivery_ids)
    WHERE id = ANY ($1::bigint[])`,
  canceling: `
    SELECT id FROM webhooks WHERE canceled_through IS NOT NULL ORDER BY canceled_at, id LIMIT $1`,
  /** Webhooks are locked before deliveries, and by their ids, as results do. */
  marked: `
    SELECT id, canceled_through, canceled_at FROM webhooks
    WHERE id = ANY ($1::bigint[]) AND canceled_through IS NOT NULL ORDER BY id FOR NO KEY UPDATE`,
  leased: `
    SELECT h.id, h.created_at, w.canceled_at
    FROM held_deliveries h CROSS JOIN LATERAL (
      SELECT canceled_at FROM webhooks
      WHERE id = h.webhook_id AND id = ANY ($1::bigint[]) AND canceled_through >= h.id OFFSET 0) w
    ORDER BY h.id`,
  /** Those in flight keep their lease: whether they were delivered is still to come. */
  cancelLeased: `
    UPDATE deliveries d SET status = 'canceled', ended_badly = 'canceled', next_attempt_at = NULL,
      finished_at = h.canceled_at
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS h (id, created_at, canceled_at)
    WHERE d.id = h.id AND d.created_at = h.created_at AND d.status = 'pending'`,
  cancelWaiting: `
    WITH picked AS MATERIALIZED (
      SELECT ctid, delivery_id, created_at FROM waiting
      WHERE webhook_id = $1 AND delivery_id <= $2 ORDER BY due_at, delivery_id LIMIT $4 FOR UPDATE),
    gone AS (DELETE FROM waiting WHERE ctid = ANY (ARRAY(SELECT ctid FROM picked))),
    ended AS (
      UPDATE deliveries d SET status = 'canceled', ended_badly = 'canceled', next_attempt_at = NULL,
        finished_at = $3
      FROM picked p WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status = 'pending')
    SELECT count(*) AS count FROM picked`,
  /** Unless it was switched off once more since. */
  done: `
    UPDATE webhooks w SET canceled_through = NULL, canceled_at = NULL
    FROM unnest($1::bigint[], $2::bigint[]) AS x (id, through)
    WHERE w.id = x.id AND w.canceled_through = x.through`,
}

interface Canceling {
  readonly id: number
  readonly canceled_through: number
  readonly canceled_at: number
}

interface LeasedRow {
  readonly id: number
  readonly created_at: number
  readonly canceled_at: number
}

/**
 * Ends everything that is pending for these webhooks at this moment. Marking a webhook is what counts, and costs one
 * row: reads, claims and results go by the mark from then on. The rows follow in bounded steps. The caller excludes
 * whoever could make a delivery pending.
 */
export async function cancel(tx: Tx, webhookIds: readonly number[], now: number): Promise<void> {
  if (webhookIds.length === 0) return
  await tx.run(cancelSql.mark, [numbers(webhookIds), now])
  await sweep(tx, webhookIds.slice(0, MAX_WEBHOOKS), FIRST_CHUNK)
}

export function cancelVerbs({ locks }: Store): Pick<VerbTable, 'cancelDeliveries'> {
  return {
    cancelDeliveries: writes(async (tx, { limit }) => {
      if (!(await locks.tryAlone(tx, 'cancel'))) return 0
      const canceling = await tx.rows<{ id: number }>(cancelSql.canceling, [MAX_WEBHOOKS])
      return sweep(
        tx,
        canceling.map(({ id }) => id),
        limit,
      )
    }),
  }
}

/**
 * What is leased comes first: given back from here on, it is not pending any more; given back before, it waits and comes
 * second.
 * @returns rows handled, webhooks that are done among them
 */
async function sweep(tx: Tx, webhookIds: readonly number[], limit: number): Promise<number> {
  if (webhookIds.length === 0) return 0
  const webhooks = await tx.rows<Canceling>(cancelSql.marked, [numbers(webhookIds)])
  if (webhooks.length === 0) return 0
  let handled = await cancelLeased(tx, webhooks)
  let left = limit
  const swept: Canceling[] = []
  for (const webhook of webhooks) {
    const { id, canceled_through: through, canceled_at: at } = webhook
    const { count } = (await tx.row<{ count: number }>(cancelSql.cancelWaiting, [id, through, at, left]))!
    handled += count
    left -= count
    if (left === 0) break
    swept.push(webhook)
  }
  if (swept.length === 0) return handled
  const ids = numbers(swept.map(({ id }) => id))
  await tx.run(cancelSql.done, [ids, numbers(swept.map((webhook) => webhook.canceled_through))])
  return handled + swept.length
}

async function cancelLeased(tx: Tx, webhooks: readonly Canceling[]): Promise<number> {
  const leased = await tx.rows<LeasedRow>(cancelSql.leased, [numbers(webhooks.map(({ id }) => id))])
  if (leased.length === 0) return 0
  return tx.run(cancelSql.cancelLeased, [
    numbers(leased.map(({ id }) => id)),
    numbers(leased.map((row) => row.created_at)),
    numbers(leased.map((row) => row.canceled_at)),
  ])
}
