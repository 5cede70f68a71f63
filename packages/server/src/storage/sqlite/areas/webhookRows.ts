import { WEBHOOK_COLUMNS, type WebhookRow } from '../../records/webhooks.ts'
import type { Connection } from '../connection.ts'

const SELECT = `
  SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
  WHERE w.workspace_id = ? AND w.deleted_at IS NULL AND s.deleted_at IS NULL`

export const webhookSql = {
  byId: `${SELECT} AND w.id = ?`,
  byPublicId: `${SELECT} AND w.public_id = ?`,
  /** A page as one text: making rows of it and copying them to another thread took three times as long. */
  page: `
    SELECT json_group_array(json_array(
      id, public_id, workspace_id, url, json(event_types), description, status, off_reason, stopped_at, failing_since,
      created_by_type, created_by_public_id, created_at, updated_at, version)) AS page
    FROM (${SELECT} AND w.id < ? ORDER BY w.id DESC LIMIT ?)`,
}

export function webhookRows(db: Connection) {
  return {
    byId: db.prepare<[number, number], WebhookRow>(webhookSql.byId),
    byPublicId: db.prepare<[number, string], WebhookRow>(webhookSql.byPublicId),
    page: db.prepare<[number, number, number], { readonly page: string }>(webhookSql.page),
  }
}
