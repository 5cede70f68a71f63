import type { Notification } from '../../rows.ts'
import type { AttemptToRecord } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const ERRORS_SHOWN = 3
/** Deliveries that are looked through for errors. */
const DELIVERIES_SEARCHED = 100

const COLUMNS = 'id, kind, workspace_id, webhook_id, member_id, data, created_at'

export const notificationSql = {
  /** By time and not by id, since that is the order of the index. */
  newestDeliveries: `
    SELECT id FROM deliveries WHERE webhook_id = ? ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}`,
}

const sql = {
  /** Who added the webhook, or who made the key that added it; NULL once that member is gone. */
  webhook: `
    SELECT w.workspace_id, w.public_id, w.url, w.description, w.failing_since, w.off_reason,
      CASE w.created_by_type
        WHEN 'member' THEN (SELECT id FROM members WHERE public_id = w.created_by_public_id)
        ELSE (SELECT member_id FROM keys WHERE public_id = w.created_by_public_id)
      END AS member_id
    FROM webhooks w WHERE w.id = ?`,
  insert: `
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at)
    VALUES (?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
  lastErrors: `
    SELECT a.started_at AS at, a.error_code, a.error_message, a.status_code
    FROM (${notificationSql.newestDeliveries}) d
    JOIN attempts a ON a.delivery_id = d.id
    WHERE a.error_code IS NOT NULL ORDER BY a.started_at DESC LIMIT ${ERRORS_SHOWN}`,
  list: `SELECT ${COLUMNS} FROM notifications n WHERE n.id < ? ORDER BY n.id DESC LIMIT ?`,
  unsent: `
    SELECT ${COLUMNS} FROM notifications n INDEXED BY notifications_unsent
    WHERE n.sent_at IS NULL ORDER BY n.id LIMIT ?`,
  markSent: 'UPDATE notifications SET sent_at = ? WHERE id = ? AND sent_at IS NULL',
}

interface Row {
  readonly id: number
  readonly kind: Notification['kind']
  readonly workspace_id: number
  readonly webhook_id: number
  readonly member_id: number | null
  readonly data: string
  readonly created_at: number
}

interface WebhookRow {
  readonly workspace_id: number
  readonly public_id: string
  readonly url: string
  readonly description: string
  readonly failing_since: number | null
  readonly off_reason: string | null
  readonly member_id: number | null
}

interface ErrorRow {
  readonly at: number
  readonly error_code: string | null
  readonly error_message: string | null
  readonly status_code: number | null
}

/** @returns a function that keeps a notification about a webhook as it stands. */
export function notifier(db: Connection) {
  const webhook = db.prepare<[number], WebhookRow>(sql.webhook)
  const insert = db.prepare<unknown[], Row>(sql.insert)
  const lastErrors = db.prepare<[number], ErrorRow>(sql.lastErrors)

  /** @param latest failed attempts just recorded, which may belong to deliveries older than those searched. */
  return (
    kind: Notification['kind'],
    webhookId: number,
    latest: readonly AttemptToRecord[],
    now: number,
  ): Notification => {
    const about = webhook.get(webhookId)!
    const data = {
      webhook_public_id: about.public_id,
      url: about.url,
      description: about.description,
      reason: about.off_reason,
      failing_since: about.failing_since,
      last_errors: newestErrors(latest, lastErrors.all(webhookId)),
    }
    const row = insert.get(kind, about.workspace_id, webhookId, about.member_id, JSON.stringify(data), now)
    return toNotification(row!)
  }
}

function newestErrors(latest: readonly AttemptToRecord[], stored: readonly ErrorRow[]): ErrorRow[] {
  const fresh = latest.map(({ attempt }) => ({
    at: attempt.startedAt,
    error_code: attempt.errorCode,
    error_message: attempt.errorMessage,
    status_code: attempt.statusCode,
  }))
  const distinct = new Map([...fresh, ...stored].map((error) => [JSON.stringify(error), error]))
  return [...distinct.values()].sort((a, b) => b.at - a.at).slice(0, ERRORS_SHOWN)
}

function toNotification(row: Row): Notification {
  return {
    id: row.id,
    kind: row.kind,
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    memberId: row.member_id,
    data: JSON.parse(row.data) as Notification['data'],
    createdAt: row.created_at,
  }
}

type NotificationVerbs = Pick<
  VerbTable,
  'listNotifications' | 'unsentNotifications' | 'markNotificationsSent'
>

export function notificationVerbs({ db }: Store): NotificationVerbs {
  const list = db.prepare<[number, number], Row>(sql.list)
  const unsent = db.prepare<[number], Row>(sql.unsent)
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
