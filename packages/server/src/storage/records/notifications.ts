import type { Notification } from '../rows.ts'
import type { AttemptToRecord } from '../storage.ts'

export const ERRORS_SHOWN = 3
/** Deliveries that are looked through for errors. */
export const DELIVERIES_SEARCHED = 100

export const NOTIFICATION_COLUMNS = 'id, kind, workspace_id, webhook_id, member_id, data, created_at'

export interface NotificationRow {
  readonly id: number
  readonly kind: Notification['kind']
  readonly workspace_id: number
  readonly webhook_id: number
  readonly member_id: number | null
  readonly data: string
  readonly created_at: number
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

export function toNotification(row: NotificationRow): Notification {
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
