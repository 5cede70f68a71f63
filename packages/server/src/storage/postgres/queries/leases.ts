import type { HeldDelivery } from '../../storage.ts'
import { numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

export const leaseSql = {
  /**
   * What is held is found first and apart: PostgreSQL looks at a row anew that somebody else has just changed, and finds it
   * through this list only when it need not go through leases and their ranges once more.
   */
  free: `
    WITH held AS MATERIALIZED (
      SELECT id, created_at, lease FROM held_deliveries WHERE lease = ANY ($1::bigint[]) ORDER BY id),
    freed AS (
      UPDATE deliveries d SET lease = NULL FROM held h
      WHERE d.id = h.id AND d.created_at = h.created_at AND d.lease = h.lease
      RETURNING d.id, d.created_at, d.webhook_id, d.next_attempt_at, d.status),
    back AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM freed WHERE status = 'pending'),
    gone AS (DELETE FROM leases WHERE id = ANY ($1::bigint[]))
    SELECT count(*) AS count FROM freed`,
  lock: 'SELECT id FROM leases WHERE id = ANY ($1::bigint[]) AND node_id = $2 ORDER BY id FOR UPDATE',
  closeEmpty: 'DELETE FROM leases WHERE id = ANY ($1::bigint[]) AND open = 0',
}

/** Whoever changes many deliveries that are held goes by their ids, so that no two wait for each other. */
export const byId = (one: HeldDelivery, other: HeldDelivery): number => one.deliveryId - other.deliveryId

/** Gives back everything under these leases and ends them. @returns how many deliveries */
export async function freeLeases(tx: Tx, leases: readonly number[]): Promise<number> {
  if (leases.length === 0) return 0
  return (await tx.row<{ count: number }>(leaseSql.free, [numbers(leases)]))!.count
}

/** @returns the leases of these that the node has; they stay as they are until the transaction ends */
export async function lockLeases(
  tx: Tx,
  nodeId: number,
  deliveries: readonly HeldDelivery[],
): Promise<ReadonlySet<number>> {
  const named = new Set(deliveries.map(({ lease }) => lease))
  const locked = await tx.rows<{ id: number }>(leaseSql.lock, [numbers(named), nodeId])
  return new Set(locked.map(({ id }) => id))
}

/** Ends those of these leases under which nothing is left. */
export async function closeEmpty(tx: Tx, leases: readonly number[]): Promise<void> {
  if (leases.length > 0) await tx.run(leaseSql.closeEmpty, [numbers(leases)])
}
