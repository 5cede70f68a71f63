import { WEBHOOK_COLUMNS, type WebhookRow } from '../../records/webhooks.ts'
import type { Tx } from '../transaction.ts'

const SELECT = `
  SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
  WHERE w.workspace_id = $1 AND w.deleted_at IS NULL AND s.deleted_at IS NULL`

export const webhookSql = {
  byId: `${SELECT} AND w.id = $2`,
  byPublicId: `${SELECT} AND w.public_id = $2`,
  lock: `${SELECT} AND w.id = $2 FOR NO KEY UPDATE OF w`,
  some: `${SELECT} AND w.public_id = ANY ($2::text[]) ORDER BY w.id DESC`,
  page: `${SELECT} AND w.id < $2 ORDER BY w.id DESC LIMIT $3`,
}

export function findWebhook(tx: Tx, workspaceId: number, webhookId: number): Promise<WebhookRow | undefined> {
  return tx.row<WebhookRow>(webhookSql.byId, [workspaceId, webhookId])
}

/** As {@link findWebhook}; nobody changes the row until the transaction ends. */
export function lockWebhook(tx: Tx, workspaceId: number, webhookId: number): Promise<WebhookRow | undefined> {
  return tx.row<WebhookRow>(webhookSql.lock, [workspaceId, webhookId])
}
