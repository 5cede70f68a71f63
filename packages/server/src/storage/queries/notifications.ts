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
} from '../rowMappers/notifications.ts'
import type { Notification } from '../rows.ts'
import type { AttemptToRecord, SignInNotice } from '../storage.ts'
import { list, type Queries, write } from './query.ts'
import {
  either,
  FOR_KEY_SHARE,
  indexedBy,
  isOneOf,
  keyShareOf,
  numberList,
  SKIP_LOCKED,
  type Statement,
  sql,
  typed,
  type Value,
} from './sql.ts'
import { all, row, rows, run, type Work } from './work.ts'

const WAITING = 'sent_at IS NULL AND given_up_at IS NULL'
const FROM_WAITING = sql`FROM notifications ${indexedBy('notifications_waiting')}`

/** By time and not by id, since that is the order of the index. */
const NEWEST_FIRST = `ORDER BY created_at DESC, id DESC LIMIT ${DELIVERIES_SEARCHED}`
export const NEWEST_DELIVERIES = `SELECT id FROM deliveries WHERE webhook_id = $1 ${NEWEST_FIRST}`
const ERROR_COLUMNS = 'started_at AS at, error_code, error_message, status_code'

export const notificationSql = {
  /**
   * The newest errors of a webhook. However often a delivery was sent again, few of its attempts are read. On PostgreSQL delivery
   * by delivery, whatever the planner thinks of a day that has just begun: hence the OFFSET.
   */
  lastErrors: either({
    sqlite: `
      SELECT ${ERROR_COLUMNS}
      FROM (${NEWEST_DELIVERIES}) newest
      CROSS JOIN deliveries d ON d.id = newest.id
      CROSS JOIN attempts a ON a.delivery_id = d.id AND a.number > d.attempts - ${ERRORS_SHOWN}
      WHERE error_code IS NOT NULL ORDER BY started_at DESC LIMIT ${ERRORS_SHOWN}`,
    postgres: `
      SELECT a.at, a.error_code, a.error_message, a.status_code
      FROM (SELECT id, created_at, attempts FROM deliveries WHERE webhook_id = $1 ${NEWEST_FIRST}) d
      CROSS JOIN LATERAL (
        SELECT ${ERROR_COLUMNS} FROM attempts
        WHERE delivery_id = d.id AND created_at = d.created_at AND number > d.attempts - ${ERRORS_SHOWN}
          AND error_code IS NOT NULL OFFSET 0) a
      ORDER BY a.at DESC LIMIT ${ERRORS_SHOWN}`,
  }),
  /** Leaves to another node what it is claiming right now. */
  due: sql`
    SELECT id ${FROM_WAITING} WHERE ${RANK} = $1 AND due_at <= $2 AND ${WAITING}
    ORDER BY due_at, id LIMIT $3 ${SKIP_LOCKED}`,
  far: sql`
    SELECT id ${FROM_WAITING} WHERE ${RANK} = $1 AND due_at > $2 AND ${WAITING}
    ORDER BY due_at, id LIMIT $3 ${SKIP_LOCKED}`,
  waiting: sql`SELECT count(*) AS waiting ${FROM_WAITING} WHERE ${WAITING}`,
  claim: sql`
    UPDATE notifications SET claim = $2, due_at = $3, attempts = attempts + 1 WHERE id ${isOneOf('$1', 'bigint')}`,
  claimed: sql`
    SELECT ${CLAIMED_COLUMNS} FROM notifications n ${CLAIMED_FROM}
    WHERE n.id ${isOneOf('$1', 'bigint')} ORDER BY n.id`,
  pullIn: sql`UPDATE notifications SET due_at = $2 WHERE id ${isOneOf('$1', 'bigint')}`,
  list: sql`SELECT ${NOTIFICATION_COLUMNS} FROM notifications WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  renew: sql`UPDATE notifications SET due_at = $3 WHERE id = $1 AND claim = $2`,
  settle: sql`
    UPDATE notifications SET claim = NULL, sent_at = $3, given_up_at = $4, due_at = $5, last_error = $6,
      sealed = CASE WHEN ${typed('$3', 'bigint')} IS NULL AND ${typed('$4', 'bigint')} IS NULL THEN sealed END
    WHERE id = $1 AND claim = $2`,
  /** The member is kept from leaving until the notification that names it is there. */
  webhook: sql`
    SELECT w.workspace_id, w.public_id, w.url, w.description, w.failing_since, w.off_reason,
      CASE w.created_by_type
        WHEN 'member' THEN (SELECT id FROM members WHERE public_id = w.created_by_public_id ${FOR_KEY_SHARE})
        ELSE (
          SELECT m.id FROM keys k JOIN members m ON m.id = k.member_id
          WHERE k.public_id = w.created_by_public_id ${keyShareOf('m')})
      END AS member_id
    FROM webhooks w WHERE w.id = $1`,
  /** Due at once, whatever a clock says. */
  insert: sql`
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, 0) RETURNING ${NOTIFICATION_COLUMNS}`,
  insertSignIn: sql`
    INSERT INTO notifications (kind, to_email, sealed, data, created_at, expires_at, due_at)
    VALUES ('sign_in', $1, $2, '{}', $3, $4, 0)`,
}

interface Id {
  readonly id: number
}

/**
 * Keeps a notification about a webhook as it stands.
 * @param latest failed attempts just recorded, which may belong to deliveries older than those searched
 */
export function* addNotification(
  kind: Notification['kind'],
  webhookId: number,
  latest: readonly AttemptToRecord[],
  now: number,
): Work<Notification> {
  const [webhook, stored] = yield* all(
    row<NotifiedWebhookRow>(notificationSql.webhook, [webhookId]),
    rows<ErrorRow>(notificationSql.lastErrors, [webhookId]),
  )
  const { workspace_id: workspaceId, member_id: memberId } = webhook!
  const data = notificationData(webhook!, latest, stored)
  const values = [kind, workspaceId, webhookId, memberId, data, now]
  return toNotification((yield* row<NotificationRow>(notificationSql.insert, values))!)
}

/** Keeps a sign-in link that is to be sent, in the transaction that makes it. */
export const addSignInNotification = ({ toEmail, sealed, now, expiresAt }: SignInNotice): Work<number> =>
  run(notificationSql.insertSignIn, [toEmail, sealed, now, expiresAt])

export const notificationQueries: Queries<
  | 'listNotifications'
  | 'claimNotifications'
  | 'pullInNotifications'
  | 'renewNotification'
  | 'settleNotification'
> = {
  listNotifications: list(function* ({ limit, before }) {
    const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<NotificationRow>(notificationSql.list, values)).map(toNotification)
  }),
  claimNotifications: write(function* ({ claim, claimMs, now, limit }) {
    const ids = numberList(yield* byRank(notificationSql.due, now, limit))
    const [, claimed, count] = yield* all(
      run(notificationSql.claim, [ids, claim, now + claimMs]),
      rows<ClaimedRow>(notificationSql.claimed, [ids]),
      row<{ readonly waiting: number }>(notificationSql.waiting),
    )
    return { notifications: claimed.map(toClaimed), waiting: count!.waiting }
  }),
  pullInNotifications: write(function* ({ latest, to, limit }) {
    const ids = yield* byRank(notificationSql.far, latest, limit)
    return yield* run(notificationSql.pullIn, [numberList(ids), to])
  }),
  renewNotification: write(function* ({ id, claim, claimMs, now }) {
    return (yield* run(notificationSql.renew, [id, claim, now + claimMs])) > 0
  }),
  settleNotification: write(function* ({ id, claim, now, outcome }) {
    const { sentAt, givenUpAt, dueAt, error } = settledColumns(outcome, now)
    return (yield* run(notificationSql.settle, [id, claim, sentAt, givenUpAt, dueAt, error])) > 0
  }),
}

/** @returns ids of notifications, first those of the first rank */
function* byRank(statement: Statement, value: Value, limit: number): Work<readonly number[]> {
  const ids: number[] = []
  for (let rank = 0; rank <= LAST_RANK && ids.length < limit; rank++)
    for (const { id } of yield* rows<Id>(statement, [rank, value, limit - ids.length])) ids.push(id)
  return ids
}
