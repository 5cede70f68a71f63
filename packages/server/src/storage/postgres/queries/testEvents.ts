import type { EventToStore } from '../../storage.ts'
import type { Tx } from '../transaction.ts'

export const testEventSql = {
  /** It has no place in the feed, and its delivery is due now. */
  insert: `
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
 * Stores a test for one webhook. The caller keeps the set of webhooks that are on as it is, and made the day of the
 * event.
 * @returns the delivery
 */
export async function insertTest(tx: Tx, event: EventToStore, webhookId: number): Promise<number> {
  const { id, workspaceId, type, broughtId, fingerprint, body, createdAt } = event
  const values = [id, workspaceId, type, broughtId, fingerprint, body, createdAt, webhookId]
  return (await tx.row<{ id: number }>(testEventSql.insert, values))!.id
}
