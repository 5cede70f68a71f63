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
import { numbers } from '../arrays.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbTable, writes } from '../verb.ts'

export const notificationSql = {
  /**
   * Delivery by delivery, whatever the planner thinks of a day that has just begun: hence the OFFSET. However often one was sent
   * again, few of its attempts are read.
   */
  lastErrors: `
    SELECT a.at, a.error_code, a.error_message, a.status_code
    FROM (
      SELECT id, created_at, attempts FROM deliveries WHERE webhook_id = $1
      ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}) d
    CROSS JOIN LATERAL (
      SELECT started_at AS at, error_code, error_message, status_code FROM attempts
      WHERE delivery_id = d.id AND created_at = d.created_at AND number > d.attempts - ${ERRORS_SHOWN}
        AND error_code IS NOT NULL OFFSET 0) a
    ORDER BY a.at DESC LIMIT ${ERRORS_SHOWN}`,
  /** What another node is claiming right now is left to it. */
  claim: `
    UPDATE notifications SET claim = $1, due_at = $2, attempts = attempts + 1 WHERE id = ANY (ARRAY(
      SELECT n.id FROM generate_series(0, ${LAST_RANK}) rank
      CROSS JOIN LATERAL (
        SELECT id FROM notifications
        WHERE ${RANK} = rank AND due_at <= $3 AND sent_at IS NULL AND given_up_at IS NULL
        ORDER BY due_at, id LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED) n
      LIMIT $4))
    RETURNING id`,
  pullIn: `
    UPDATE notifications SET due_at = $1 WHERE id = ANY (ARRAY(
      SELECT n.id FROM generate_series(0, ${LAST_RANK}) rank
      CROSS JOIN LATERAL (
        SELECT id FROM notifications
        WHERE ${RANK} = rank AND due_at > $2 AND sent_at IS NULL AND given_up_at IS NULL
        ORDER BY due_at, id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) n
      LIMIT $3))`,
  waiting: 'SELECT count(*) AS waiting FROM notifications WHERE sent_at IS NULL AND given_up_at IS NULL',
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
  /** Due at once, whatever a clock says. */
  insert: `
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, 0) RETURNING ${NOTIFICATION_COLUMNS}`,
  insertSignIn: `
    INSERT INTO notifications (kind, to_email, sealed, data, created_at, expires_at, due_at)
    VALUES ('sign_in', $1, $2, '{}', $3, $4, 0)`,
  list: `SELECT ${NOTIFICATION_COLUMNS} FROM notifications WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  claimed: `
    SELECT ${CLAIMED_COLUMNS} FROM notifications n ${CLAIMED_FROM}
    WHERE n.id = ANY ($1::bigint[]) ORDER BY n.id`,
  renew: 'UPDATE notifications SET due_at = $3 WHERE id = $1 AND claim = $2',
  settle: `
    UPDATE notifications SET claim = NULL, sent_at = $3, given_up_at = $4, due_at = $5, last_error = $6,
      sealed = CASE WHEN $3::bigint IS NULL AND $4::bigint IS NULL THEN sealed END
    WHERE id = $1 AND claim = $2`,
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

/** Keeps a sign-in link that is to be sent, in the transaction that makes it. */
export async function notifySignIn(tx: Tx, { toEmail, sealed, now, expiresAt }: SignInNotice): Promise<void> {
  await tx.run(sql.insertSignIn, [toEmail, sealed, now, expiresAt])
}

type NotificationVerbs = Pick<
  VerbTable,
  | 'listNotifications'
  | 'claimNotifications'
  | 'pullInNotifications'
  | 'renewNotification'
  | 'settleNotification'
>

export function notificationVerbs(_store: Store): NotificationVerbs {
  return {
    listNotifications: reads(async (tx, { limit, before }) => {
      const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
      return (await tx.rows<NotificationRow>(sql.list, values)).map(toNotification)
    }),
    claimNotifications: writes(async (tx, { claim, claimMs, now, limit }) => {
      const claimed = await tx.rows<{ id: number }>(notificationSql.claim, [claim, now + claimMs, now, limit])
      const ids = numbers(claimed.map(({ id }) => id))
      const [rows, count] = await Promise.all([
        tx.rows<ClaimedRow>(sql.claimed, [ids]),
        tx.row<{ waiting: number }>(notificationSql.waiting),
      ])
      return { notifications: rows.map(toClaimed), waiting: count!.waiting }
    }),
    pullInNotifications: writes((tx, { latest, to, limit }) =>
      tx.run(notificationSql.pullIn, [to, latest, limit]),
    ),
    renewNotification: writes(
      async (tx, { id, claim, claimMs, now }) => (await tx.run(sql.renew, [id, claim, now + claimMs])) > 0,
    ),
    settleNotification: writes(async (tx, { id, claim, now, outcome }) => {
      const { sentAt, givenUpAt, dueAt, error } = settledColumns(outcome, now)
      return (await tx.run(sql.settle, [id, claim, sentAt, givenUpAt, dueAt, error])) > 0
    }),
  }
}
