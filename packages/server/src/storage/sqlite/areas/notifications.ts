import {
  CLAIMED_COLUMNS,
  CLAIMED_FROM,
  type ClaimedRow,
  DELIVERIES_SEARCHED,
  ERRORS_SHOWN,
  type ErrorRow,
  LAST_RANK,
  NOTIFICATION_COLUMNS,
  type NotificationRow,
  type NotifiedWebhookRow,
  notificationData,
  RANK,
  settledColumns,
  toClaimed,
  toNotification,
} from '../../records/notifications.ts'
import type { Notification } from '../../rows.ts'
import type { AttemptToRecord, SignInNotice } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

export const notificationSql = {
  /** By time and not by id, since that is the order of the index. */
  newestDeliveries: `
    SELECT id FROM deliveries WHERE webhook_id = ? ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}`,
  due: `
    SELECT id FROM notifications INDEXED BY notifications_waiting
    WHERE ${RANK} = ? AND due_at <= ? AND sent_at IS NULL AND given_up_at IS NULL
    ORDER BY due_at, id LIMIT ?`,
  waiting: `
    SELECT count(*) FROM notifications INDEXED BY notifications_waiting
    WHERE sent_at IS NULL AND given_up_at IS NULL`,
  far: `
    SELECT id FROM notifications INDEXED BY notifications_waiting
    WHERE ${RANK} = ? AND due_at > ? AND sent_at IS NULL AND given_up_at IS NULL LIMIT ?`,
  claimed: `SELECT ${CLAIMED_COLUMNS} FROM notifications n ${CLAIMED_FROM} WHERE n.id = ?`,
}

/** The newest errors of a webhook. However often a delivery was sent again, few of its attempts are read. */
export const lastErrorsSql = `
  SELECT a.started_at AS at, a.error_code, a.error_message, a.status_code
  FROM (${notificationSql.newestDeliveries}) newest
  CROSS JOIN deliveries d ON d.id = newest.id
  CROSS JOIN attempts a ON a.delivery_id = d.id AND a.number > d.attempts - ${ERRORS_SHOWN}
  WHERE a.error_code IS NOT NULL ORDER BY a.started_at DESC LIMIT ${ERRORS_SHOWN}`

const sql = {
  webhook: `
    SELECT w.workspace_id, w.public_id, w.url, w.description, w.failing_since, w.off_reason,
      CASE w.created_by_type
        WHEN 'member' THEN (SELECT id FROM members WHERE public_id = w.created_by_public_id)
        ELSE (SELECT member_id FROM keys WHERE public_id = w.created_by_public_id)
      END AS member_id
    FROM webhooks w WHERE w.id = ?`,
  /** Due at once, whatever a clock says. */
  insert: `
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?, 0) RETURNING ${NOTIFICATION_COLUMNS}`,
  insertSignIn: `
    INSERT INTO notifications (kind, to_email, sealed, data, created_at, expires_at, due_at)
    VALUES ('sign_in', @toEmail, @sealed, '{}', @now, @expiresAt, 0)`,
  list: `SELECT ${NOTIFICATION_COLUMNS} FROM notifications n WHERE n.id < ? ORDER BY n.id DESC LIMIT ?`,
  claim: 'UPDATE notifications SET claim = ?, due_at = ?, attempts = attempts + 1 WHERE id = ?',
  renew: 'UPDATE notifications SET due_at = ? WHERE id = ? AND claim = ?',
  pullIn: 'UPDATE notifications SET due_at = ? WHERE id = ?',
  settle: `
    UPDATE notifications SET claim = NULL, sent_at = @sentAt, given_up_at = @givenUpAt, due_at = @dueAt,
      last_error = @error, sealed = CASE WHEN @sentAt IS NULL AND @givenUpAt IS NULL THEN sealed END
    WHERE id = @id AND claim = @claim`,
}

/** @returns a function that keeps a notification about a webhook as it stands. */
export function notifier(db: Connection) {
  const webhook = db.prepare<[number], NotifiedWebhookRow>(sql.webhook)
  const insert = db.prepare<unknown[], NotificationRow>(sql.insert)
  const lastErrors = db.prepare<[number], ErrorRow>(lastErrorsSql)

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

/** @returns a function that keeps a sign-in link that is to be sent, in the transaction that makes it. */
export function signInNotifier(db: Connection): (notice: SignInNotice) => void {
  const insert = db.prepare<SignInNotice>(sql.insertSignIn)
  return ({ toEmail, sealed, expiresAt, now }) => {
    insert.run({ toEmail, sealed, expiresAt, now })
  }
}

type NotificationVerbs = Pick<
  VerbTable,
  | 'listNotifications'
  | 'claimNotifications'
  | 'pullInNotifications'
  | 'renewNotification'
  | 'settleNotification'
>

export function notificationVerbs({ db }: Store): NotificationVerbs {
  const list = db.prepare<[number, number], NotificationRow>(sql.list)
  const due = db.prepare<[number, number, number], number>(notificationSql.due).pluck()
  const waiting = db.prepare<[], number>(notificationSql.waiting).pluck()
  const far = db.prepare<[number, number, number], number>(notificationSql.far).pluck()
  const pullIn = db.prepare<[number, number]>(sql.pullIn)
  const claimOne = db.prepare<[string, number, number]>(sql.claim)
  const claimed = db.prepare<[number], ClaimedRow>(notificationSql.claimed)
  const renew = db.prepare<[number, number, string]>(sql.renew)
  const settle = db.prepare<Record<string, unknown>>(sql.settle)
  return {
    listNotifications: ({ limit, before }) =>
      list.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toNotification),
    claimNotifications({ claim, claimMs, now, limit }) {
      const ids: number[] = []
      for (let rank = 0; rank <= LAST_RANK && ids.length < limit; rank++)
        ids.push(...due.all(rank, now, limit - ids.length))
      const rows = ids.map((id) => {
        claimOne.run(claim, now + claimMs, id)
        return claimed.get(id)!
      })
      return { notifications: rows.map(toClaimed), waiting: waiting.get()! }
    },
    pullInNotifications({ latest, to, limit }) {
      const ids: number[] = []
      for (let rank = 0; rank <= LAST_RANK && ids.length < limit; rank++)
        ids.push(...far.all(rank, latest, limit - ids.length))
      for (const id of ids) pullIn.run(to, id)
      return ids.length
    },
    renewNotification: ({ id, claim, claimMs, now }) => renew.run(now + claimMs, id, claim).changes > 0,
    settleNotification: ({ id, claim, now, outcome }) =>
      settle.run({ id, claim, ...settledColumns(outcome, now) }).changes > 0,
  }
}
