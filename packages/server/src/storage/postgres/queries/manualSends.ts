import type { RunStart } from '../../queries/driverCalls.ts'
import type { DeliveryPosition, EventToStore } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'

export const manualSendSql = {
  /** Without bounds on the times, which would tempt the planner to begin with all deliveries between them. */
  startRuns: `
    WITH started AS (
      UPDATE deliveries d SET status = 'pending', ended_badly = CASE WHEN d.attempts > 0 THEN 'retrying' END, trigger = $3,
        run_start = d.attempts, next_attempt_at = $4, finished_at = NULL, cancel_reason = NULL
      FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
      WHERE d.id = x.id AND d.created_at = x.created_at
        AND d.status = $5 AND d.lease IS NULL AND d.finished_at <= $6
      RETURNING d.webhook_id, d.next_attempt_at, d.id, d.created_at)
    INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
    SELECT webhook_id, next_attempt_at, id, created_at FROM started`,
  /** It has no place in the feed, and its delivery is due now. */
  insertTest: `
    WITH event AS (
      INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)),
    delivery AS (
      INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, attempts, run_start, status,
        trigger)
      VALUES (nextval('delivery_ids'), $7, $1, $8, $7, 0, 0, 'pending', 'test')
      RETURNING id, created_at, webhook_id, next_attempt_at),
    waits AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM delivery)
    SELECT id FROM delivery`,
}

/**
 * Begins a new run, due now, of those of these deliveries that are leased to no node. The caller keeps the set of webhooks that
 * are on as it is.
 * @returns how many
 */
export function startRuns(
  tx: Tx,
  deliveries: readonly DeliveryPosition[],
  { trigger, from, finishedBy, now }: RunStart,
): Promise<number> {
  const ids = numbers(deliveries.map(({ id }) => id))
  const times = numbers(deliveries.map(({ createdAt }) => createdAt))
  return tx.run(manualSendSql.startRuns, [ids, times, trigger, now, from, finishedBy])
}

/**
 * Stores a test for one webhook. The caller keeps the set of webhooks that are on as it is, and made the day of the
 * event.
 * @returns the delivery
 */
export async function insertTest(tx: Tx, event: EventToStore, webhookId: number): Promise<number> {
  const { id, workspaceId, type, broughtId, fingerprint, body, createdAt } = event
  const values = [id, workspaceId, type, broughtId, fingerprint, body, createdAt, webhookId]
  return (await tx.row<{ id: number }>(manualSendSql.insertTest, values))!.id
}
