import type { ResentRow } from '../../queries/acts.ts'
import { EFFECTIVE_STATUS } from '../../queries/records.ts'
import { ATTEMPT_COLUMNS, ATTEMPTS_SHOWN, type AttemptRow } from '../../rowMappers/attempts.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, toDelivery } from '../../rowMappers/deliveries.ts'
import type { DeliveryRecord } from '../../rows.ts'
import type { Connection } from '../connection.ts'

export const recordSql = {
  one: `
    SELECT ${DELIVERY_COLUMNS}
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id
    WHERE d.id = ? AND w.workspace_id = ? AND w.deleted_at IS NULL`,
  resent: `
    SELECT ${DELIVERY_COLUMNS}, ${EFFECTIVE_STATUS} AS webhook_status
    FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id
      JOIN workspaces s ON s.id = w.workspace_id AND s.deleted_at IS NULL
    WHERE d.id = ? AND w.workspace_id = ? AND w.deleted_at IS NULL`,
  /** Newest first. */
  attempts: `
    SELECT ${ATTEMPT_COLUMNS} FROM attempts WHERE delivery_id = ? ORDER BY number DESC LIMIT ${ATTEMPTS_SHOWN}`,
}

/** Reads deliveries as the log shows them. */
export function deliveryRecords(db: Connection) {
  const one = db.prepare<[number, number], DeliveryRow>(recordSql.one)
  const resent = db.prepare<[number, number], ResentRow>(recordSql.resent)
  const attemptsOf = db.prepare<[number], AttemptRow>(recordSql.attempts)
  return {
    lock: (workspaceId: number, deliveryId: number) => resent.get(deliveryId, workspaceId),
    get(workspaceId: number, deliveryId: number): DeliveryRecord | null {
      const row = one.get(deliveryId, workspaceId)
      return row === undefined ? null : toDelivery(row, attemptsOf.all(row.id).reverse())
    },
  }
}
