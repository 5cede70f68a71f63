import {
  DELIVERIES_SEARCHED,
  ERRORS_SHOWN,
  type ErrorRow,
  NOTIFICATION_COLUMNS,
  type NotificationRow,
  type NotifiedWebhookRow,
  notificationData,
  toNotification,
} from '../../records/notifications.ts'
import type { Notification } from '../../rows.ts'
import type { AttemptToRecord } from '../../storage.ts'
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbTable, writes } from '../verb.ts'

export const notificationSql = {
  /** Delivery by delivery, whatever the planner thinks of a day that has just begun: hence the OFFSET. */
  lastErrors: `
    SELECT a.at, a.error_code, a.error_message, a.status_code
    FROM (
      SELECT id, created_at FROM deliveries WHERE webhook_id = $1
      ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}) d
    CROSS JOIN LATERAL (
      SELECT started_at AS at, error_code, error_message, status_code FROM attempts
      WHERE delivery_id = d.id AND created_at = d.created_at AND error_code IS NOT NULL OFFSET 0) a
    ORDER BY a.at DESC LIMIT ${ERRORS_SHOWN}`,
  unsent: `SELECT ${NOTIFICATION_COLUMNS} FROM notifications WHERE sent_at IS NULL ORDER BY id LIMIT $1`,
}

const sql = {
  /** The member is kept from leaving until the notification that names it is there. */
  webhook: `
    SELECT w.workspace_id, w.public_id, w.url, w.description, w.failing_since, w.off_reason,
      CASE w.created_by_type
        WHEN 'member' THEN (SELECT id FROM members WHERE public_id = w.created_by_public_id FOR KEY SHARE)
        ELSE (
          SELECT m.id FROM keys k JOIN members m ON m.id = k.member_id
          WHERE k.public_id = w.created_by_public_id FOR KEY SHARE OF m)
      END AS member_id
    FROM webhooks w WHERE w.id = $1`,
  insert: `
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${NOTIFICATION_COLUMNS}`,
  list: `SELECT ${NOTIFICATION_COLUMNS} FROM notifications WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  /** Locked in order first, so that two nodes never wait for each other. */
  markSent: `
    UPDATE notifications SET sent_at = $1 WHERE id IN (
      SELECT id FROM notifications WHERE id = ANY ($2::bigint[]) AND sent_at IS NULL ORDER BY id FOR NO KEY UPDATE)`,
}

/**
 * Keeps a notification about a webhook as it stands.
 * @param latest failed attempts just recorded, which may belong to deliveries older than those searched
 */
export async function notify(
  tx: Tx,
  kind: Notification['kind'],
  webhookId: number,
  latest: readonly AttemptToRecord[],
  now: number,
): Promise<Notification> {
  const [webhook, stored] = await Promise.all([
    tx.row<NotifiedWebhookRow>(sql.webhook, [webhookId]),
    tx.rows<ErrorRow>(notificationSql.lastErrors, [webhookId]),
  ])
  const { workspace_id: workspaceId, member_id: memberId } = webhook!
  const data = notificationData(webhook!, latest, stored)
  const values = [kind, workspaceId, webhookId, memberId, data, now]
  return toNotification((await tx.row<NotificationRow>(sql.insert, values))!)
}

type NotificationVerbs = Pick<
  VerbTable,
  'listNotifications' | 'unsentNotifications' | 'markNotificationsSent'
>

export function notificationVerbs(_store: Store): NotificationVerbs {
  return {
    listNotifications: reads(async (tx, { limit, before }) => {
      const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<NotificationRow>(sql.list, values)).map(toNotification)
    }),
    unsentNotifications: reads(async (tx, { limit }) =>
      (await tx.rows<NotificationRow>(notificationSql.unsent, [limit])).map(toNotification),
    ),
    markNotificationsSent: writes(async (tx, { notificationIds, now }) => {
      await tx.run(sql.markSent, [now, numbers(notificationIds)])
    }),
  }
}
