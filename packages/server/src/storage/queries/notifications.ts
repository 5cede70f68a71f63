import { HOUR_MS } from '../../core/duration.ts'
import { type ClaimedNotification, MAX_RECENT_OFFS, type Notification } from '../rows.ts'
import type { AttemptToRecord, NotificationOutcome, SignInNotice } from '../storage.ts'
import { list, type Queries, write } from './query.ts'
import type { Boolish } from './rowMappers.ts'
import {
  columns,
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

const ERRORS_SHOWN = 3
/** Deliveries that are looked through for errors; of each only its newest attempts, as many as are shown. */
const DELIVERIES_SEARCHED = 100

/** The order of e-mails: sign-in links, for which people wait; then retries, at most ten a day per message; then new ones. */
const RANK = `(CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END)`
const LAST_RANK = 2

const NOTIFICATION =
  'id messageKey kind workspaceId webhookId memberId data createdAt attempts lastError sentAt givenUpAt'
const NOTIFICATION_COLUMNS = columns(NOTIFICATION)

/** How long an e-mail about a disabled webhook counts. */
const RECENT_MS = HOUR_MS

/** The columns of a claimed notification, with the present state of its recipient and its webhook. */
const CLAIMED_COLUMNS = `
  ${columns(`${NOTIFICATION} toEmail sealed expiresAt`, 'n')}, ${columns('email failingWarnings', 'm')},
  m.name AS "memberName", s.slug, s.name, s.dialect,
  (SELECT w.failing_since FROM webhooks w
    WHERE w.id = n.webhook_id AND w.deleted_at IS NULL AND w.off_reason IS NULL) AS "webhookFailingSince",
  (SELECT count(*) FROM (
    SELECT 1 FROM notifications o
    WHERE o.webhook_id = n.webhook_id AND o.kind = 'webhook_off' AND o.given_up_at IS NULL AND o.id < n.id
      AND o.created_at > n.created_at - ${RECENT_MS} AND o.created_at <= n.created_at
    LIMIT ${MAX_RECENT_OFFS}) recent) AS "recentOffs"`

/** Members of a deleted workspace get no more e-mails. */
const CLAIMED_FROM = `
  LEFT JOIN workspaces s ON s.id = n.workspace_id AND s.deleted_at IS NULL
  LEFT JOIN members m ON m.id = n.member_id AND m.workspace_id = s.id`

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
  /** Skips rows that another node is claiming right now. */
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
  /** Due immediately, even if a clock is wrong. */
  insert: sql`
    INSERT INTO notifications (kind, workspace_id, webhook_id, member_id, data, created_at, due_at)
    VALUES ($1, $2, $3, $4, $5, $6, 0) RETURNING ${NOTIFICATION_COLUMNS}`,
  insertSignIn: sql`
    INSERT INTO notifications (kind, to_email, sealed, data, created_at, expires_at, due_at)
    VALUES ('sign_in', $1, $2, '{}', $3, $4, 0)`,
}

/** Its data are JSON. */
type NotificationRow = Omit<Notification, 'data'> & { readonly data: string }

const toNotification = (row: NotificationRow): Notification => ({
  ...row,
  data: JSON.parse(row.data) as Notification['data'],
})

type Reported = Omit<ClaimedNotification, keyof Notification | 'workspace' | 'failingWarnings'>

interface ClaimedRow extends NotificationRow, Reported {
  /** Of the member now. */
  readonly email: string | null
  readonly failingWarnings: Boolish | null
  /** Of the workspace, as are the name and the dialect. */
  readonly slug: string | null
  readonly name: string | null
  readonly dialect: string | null
}

function toClaimed({ slug, name, dialect, email, ...row }: ClaimedRow): ClaimedNotification {
  return {
    ...row,
    ...toNotification(row),
    toEmail: row.toEmail ?? email,
    failingWarnings: Boolean(row.failingWarnings),
    workspace: slug === null ? null : { slug, name: name!, dialect: dialect! },
  }
}

/** The data of a webhook in a notification. */
interface NotifiedWebhookRow {
  readonly workspace_id: number
  readonly public_id: string
  readonly url: string
  readonly description: string
  readonly failing_since: number | null
  readonly off_reason: string | null
  /** Who added the webhook, or who made the key that added it; `null` once that member is gone. */
  readonly member_id: number | null
}

export interface ErrorRow {
  readonly at: number
  readonly error_code: string | null
  readonly error_message: string | null
  readonly status_code: number | null
}

/**
 * The data of a notification, as JSON.
 * @param latest failed attempts just recorded, which may belong to deliveries older than those searched
 * @param stored the newest errors of those searched
 */
function notificationData(
  webhook: NotifiedWebhookRow,
  latest: readonly AttemptToRecord[],
  stored: readonly ErrorRow[],
): string {
  return JSON.stringify({
    webhook_public_id: webhook.public_id,
    url: webhook.url,
    description: webhook.description,
    reason: webhook.off_reason,
    failing_since: webhook.failing_since,
    last_errors: newestErrors(latest, stored),
  })
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

/** The columns of a notification when its claim ends. */
function settledColumns(outcome: NotificationOutcome, now: number) {
  const at = (result: NotificationOutcome['result']) => (outcome.result === result ? now : null)
  return {
    sentAt: at('sent'),
    givenUpAt: at('given_up'),
    dueAt: outcome.result === 'again' ? outcome.dueAt : now,
    error: outcome.result === 'sent' ? null : outcome.error,
  }
}

interface Id {
  readonly id: number
}

/**
 * Stores a notification about the present state of a webhook.
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
