import type { ResentRow } from '../../queries/acts.ts'
import { EFFECTIVE_STATUS } from '../../queries/records.ts'
import { ATTEMPT_COLUMNS, ATTEMPTS_SHOWN, type AttemptRow } from '../../rowMappers/attempts.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from '../../rowMappers/deliveries.ts'
import type { DeliveryRecord } from '../../rows.ts'
import type { DeliveryPosition } from '../../storage.ts'
import { numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

/**
 * Joined in this order, by OFFSET 0: without statistics the planner takes what lies between two times for a few rows,
 * and would begin with them.
 */
export const recordSql = {
  /** In whatever day it is. */
  one: `
    SELECT ${DELIVERY_COLUMNS}
    FROM (SELECT * FROM deliveries WHERE id = $1 OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT * FROM webhooks
        WHERE id = d.webhook_id AND workspace_id = $2 AND deleted_at IS NULL OFFSET 0) w
      JOIN events e ON e.id = d.event_id AND e.created_at = d.created_at`,
  /** It stays as it is until the transaction ends. */
  lock: `
    SELECT ${DELIVERY_COLUMNS}, ${EFFECTIVE_STATUS} AS webhook_status
    FROM (SELECT * FROM deliveries WHERE id = $1 OFFSET 0 FOR UPDATE) d
      CROSS JOIN LATERAL (
        SELECT * FROM webhooks
        WHERE id = d.webhook_id AND workspace_id = $2 AND deleted_at IS NULL OFFSET 0) w
      JOIN workspaces s ON s.id = $2 AND s.deleted_at IS NULL
      JOIN events e ON e.id = d.event_id AND e.created_at = d.created_at`,
  /** The times bound both tables, so that only their days are looked at. */
  page: `
    SELECT ${DELIVERY_COLUMNS}
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS x (id, created_at, n)
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries
        WHERE id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) d
      CROSS JOIN LATERAL (
        SELECT brought_id, type FROM events
        WHERE id = d.event_id AND created_at = d.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) e
      JOIN webhooks w ON w.id = d.webhook_id
    ORDER BY x.n`,
  attempts: `
    SELECT a.delivery_id, ${ATTEMPT_COLUMNS}
    FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
      CROSS JOIN LATERAL (
        SELECT * FROM attempts
        WHERE delivery_id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4
        ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}) a
    ORDER BY a.delivery_id, a.number`,
}

interface AttemptOfRow extends AttemptRow {
  readonly delivery_id: number
}

/** Reads a delivery as the log shows it. */
export async function readDelivery(
  tx: Tx,
  workspaceId: number,
  deliveryId: number,
): Promise<DeliveryRecord | null> {
  const row = await tx.row<DeliveryRow>(recordSql.one, [deliveryId, workspaceId])
  if (row === undefined) return null
  return toDelivery(row, await attemptsOf(tx, [{ id: row.id, createdAt: row.created_at }]))
}

/** @returns a delivery as it stays until the transaction ends */
export function lockDelivery(
  tx: Tx,
  workspaceId: number,
  deliveryId: number,
): Promise<ResentRow | undefined> {
  return tx.row<ResentRow>(recordSql.lock, [deliveryId, workspaceId])
}

/** Reads those of these deliveries that are there, in this order. */
export async function readDeliveries(
  tx: Tx,
  positions: readonly DeliveryPosition[],
): Promise<readonly DeliveryRecord[]> {
  if (positions.length === 0) return []
  const [rows, attempts] = await Promise.all([
    tx.rows<DeliveryRow>(recordSql.page, placesOf(positions)),
    attemptsOf(tx, positions),
  ])
  const byDelivery = new Map<number, AttemptOfRow[]>()
  for (const attempt of attempts) {
    const group = byDelivery.get(attempt.delivery_id)
    if (group === undefined) byDelivery.set(attempt.delivery_id, [attempt])
    else group.push(attempt)
  }
  return rows.map((row) => toDelivery(row, byDelivery.get(row.id) ?? []))
}

function attemptsOf(tx: Tx, positions: readonly DeliveryPosition[]): Promise<readonly AttemptOfRow[]> {
  return tx.rows<AttemptOfRow>(recordSql.attempts, placesOf(positions))
}

/** Rows of a table that is kept by day, as parameters: their ids, their times, the first and the last of the times. */
export function placesOf(rows: readonly { readonly id: number; readonly createdAt: number }[]): unknown[] {
  const times = rows.map(({ createdAt }) => createdAt)
  return [numbers(rows.map(({ id }) => id)), numbers(times), Math.min(...times), Math.max(...times)]
}
