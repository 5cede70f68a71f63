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
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

export const notificationSql = {
  /** By time and not by id, since that is the order of the index. */
  newestDeliveries: `
    SELECT id FROM deliveries WHERE webhook_id = ? ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}`,
}

const sql = {
  webhook: `
    SELECT w.workspace_id, w.public_id, w.url, w.description, w.failing_since, w.off_reason,
      CASE w.created_by_type
        WHEN 'member' THEN (SELECT id FROM members WHERE public_id = w.created_by_public_id)
        ELSE (SELECT member_id FROM keys WHERE public_id = w.created_by_public_id)
      END AS member_id
    FROM webhooks w WHERE w.id = ?`,
  insert: `
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at)
    VALUES (?, ?, ?, ?, ?, ?) RETURNING ${NOTIFICATION_COLUMNS}`,
  lastErrors: `
    SELECT a.started_at AS at, a.error_code, a.error_message, a.status_code
    FROM (${notificationSql.newestDeliveries}) d
    JOIN attempts a ON a.delivery_id = d.id
    WHERE a.error_code IS NOT NULL ORDER BY a.started_at DESC LIMIT ${ERRORS_SHOWN}`,
  list: `SELECT ${NOTIFICATION_COLUMNS} FROM notifications n WHERE n.id < ? ORDER BY n.id DESC LIMIT ?`,
  unsent: `
    SELECT ${NOTIFICATION_COLUMNS} FROM notifications n INDEXED BY notifications_unsent
    WHERE n.sent_at IS NULL ORDER BY n.id LIMIT ?`,
  markSent: 'UPDATE notifications SET sent_at = ? WHERE id = ? AND sent_at IS NULL',
}

/** @returns a function that keeps a notification about a webhook as it stands. */
export function notifier(db: Connection) {
  const webhook = db.prepare<[number], NotifiedWebhookRow>(sql.webhook)
  const insert = db.prepare<unknown[], NotificationRow>(sql.insert)
  const lastErrors = db.prepare<[number], ErrorRow>(sql.lastErrors)

  return (
    kind: Notification['kind'],
    webhookId: number,
    latest: readonly AttemptToRecord[],
    now: number,
  ): Notification => {
    const about = webhook.get(webhookId)!
    const data = notificationData(about, latest, lastErrors.all(webhookId))
    return toNotification(insert.get(kind, about.workspace_id, webhookId, about.member_id, data, now)!)
  }
}

type NotificationVerbs = Pick<
  VerbTable,
  'listNotifications' | 'unsentNotifications' | 'markNotificationsSent'
>

export function notificationVerbs({ db }: Store): NotificationVerbs {
  const list = db.prepare<[number, number], NotificationRow>(sql.list)
  const unsent = db.prepare<[number], NotificationRow>(sql.unsent)
  const markSent = db.prepare<[number, number]>(sql.markSent)
  return {
    listNotifications: ({ limit, before }) =>
      list.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toNotification),
    unsentNotifications: ({ limit }) => unsent.all(limit).map(toNotification),
    markNotificationsSent({ notificationIds, now }) {
      for (const id of notificationIds) markSent.run(now, id)
    },
  }
}
