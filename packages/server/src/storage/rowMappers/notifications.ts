import { HOUR_MS } from '../../core/duration.ts'
import { type ClaimedNotification, MAX_RECENT_OFFS, type Notification } from '../rows.ts'
import type { AttemptToRecord, NotificationOutcome } from '../storage.ts'

export const ERRORS_SHOWN = 3
/** Deliveries that are looked through for errors; of each only its newest attempts, as many as are shown. */
export const DELIVERIES_SEARCHED = 100

/**
 * What goes first: sign-in links, for which people wait; then what was tried before and is due again, at most ten times in
 * a day; then what is new.
 */
export const RANK = `(CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END)`
export const LAST_RANK = 2

export const NOTIFICATION_COLUMNS =
  'id, message_key, kind, workspace_id, webhook_id, member_id, data, created_at, attempts, last_error, sent_at, given_up_at'

export interface NotificationRow {
  readonly id: number
  readonly message_key: string
  readonly kind: Notification['kind']
  readonly workspace_id: number | null
  readonly webhook_id: number | null
  readonly member_id: number | null
  readonly data: string
  readonly created_at: number
  readonly attempts: number
  readonly last_error: string | null
  readonly sent_at: number | null
  readonly given_up_at: number | null
}

/** For so long e-mails that tell of a webhook's switch-off are counted. */
const RECENT_MS = HOUR_MS

/** What goes out now, with what is true of its recipient and its webhook now. */
export const CLAIMED_COLUMNS = `
  n.id, n.message_key, n.kind, n.workspace_id, n.webhook_id, n.member_id, n.data, n.created_at, n.attempts,
  n.last_error, n.sent_at, n.given_up_at, n.to_email, n.sealed, n.expires_at,
  m.email, m.name, m.failing_warnings, s.slug AS workspace_slug, s.name AS workspace_name,
  (SELECT w.failing_since FROM webhooks w
    WHERE w.id = n.webhook_id AND w.deleted_at IS NULL AND w.off_reason IS NULL) AS failing_since,
  (SELECT count(*) FROM (
    SELECT 1 FROM notifications o
    WHERE o.webhook_id = n.webhook_id AND o.kind = 'webhook_off' AND o.given_up_at IS NULL AND o.id < n.id
      AND o.created_at > n.created_at - ${RECENT_MS} AND o.created_at <= n.created_at
    LIMIT ${MAX_RECENT_OFFS}) told) AS recent_offs`

/** A member of a workspace that was deleted is told nothing any more. */
export const CLAIMED_FROM = `
  LEFT JOIN workspaces s ON s.id = n.workspace_id AND s.deleted_at IS NULL
  LEFT JOIN members m ON m.id = n.member_id AND m.workspace_id = s.id`

export interface ClaimedRow extends NotificationRow {
  readonly to_email: string | null
  readonly sealed: Uint8Array | null
  readonly expires_at: number | null
  readonly email: string | null
  readonly name: string | null
  /** SQLite has 0 and 1. */
  readonly failing_warnings: boolean | 0 | 1 | null
  readonly workspace_slug: string | null
  readonly workspace_name: string | null
  readonly failing_since: number | null
  readonly recent_offs: number
}

/** A webhook as a notification tells of it. */
export interface NotifiedWebhookRow {
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
export function notificationData(
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

/** What becomes of the columns of a notification that its claim ends with. */
export function settledColumns(outcome: NotificationOutcome, now: number) {
  const at = (result: NotificationOutcome['result']) => (outcome.result === result ? now : null)
  return {
    sentAt: at('sent'),
    givenUpAt: at('given_up'),
    dueAt: outcome.result === 'again' ? outcome.dueAt : now,
    error: outcome.result === 'sent' ? null : outcome.error,
  }
}

export function toNotification(row: NotificationRow): Notification {
  return {
    id: row.id,
    messageKey: row.message_key,
    kind: row.kind,
    workspaceId: row.workspace_id,
    webhookId: row.webhook_id,
    memberId: row.member_id,
    data: JSON.parse(row.data) as Notification['data'],
    createdAt: row.created_at,
    attempts: row.attempts,
    lastError: row.last_error,
    sentAt: row.sent_at,
    givenUpAt: row.given_up_at,
  }
}

export function toClaimed(row: ClaimedRow): ClaimedNotification {
  return {
    ...toNotification(row),
    toEmail: row.to_email ?? row.email,
    sealed: row.sealed,
    expiresAt: row.expires_at,
    memberName: row.name,
    failingWarnings: row.failing_warnings === true || row.failing_warnings === 1,
    workspace: row.workspace_slug === null ? null : { slug: row.workspace_slug, name: row.workspace_name! },
    webhookFailingSince: row.failing_since,
    recentOffs: row.recent_offs,
  }
}
