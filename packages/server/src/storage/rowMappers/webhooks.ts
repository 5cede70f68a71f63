import type { WebhookStatus } from '../../core/enabledState.ts'
import type { Creator, Webhook } from '../rows.ts'

/** What holds now: in a suspended workspace, a webhook that would be on is paused. */
export const EFFECTIVE_STATUS = `
  CASE WHEN w.status = 'on' AND s.suspended_at IS NOT NULL THEN 'paused' ELSE w.status END`

/** Since when nothing is published to it, in the same way. */
const STOPPED_AT = `
  CASE WHEN w.status = 'on' OR s.suspended_at < w.stopped_at THEN s.suspended_at ELSE w.stopped_at END`

/** Of `webhooks w JOIN workspaces s`. */
export const WEBHOOK_COLUMNS = `
  w.id, w.public_id, w.workspace_id, w.url, w.event_types, w.description, ${EFFECTIVE_STATUS} AS status,
  w.status AS stored_status, w.off_reason, ${STOPPED_AT} AS stopped_at, w.failing_since, w.created_by_type,
  w.created_by_public_id, w.created_at, w.updated_at, w.version`

export interface WebhookRow {
  readonly id: number
  readonly public_id: string
  readonly workspace_id: number
  readonly url: string
  readonly event_types: string
  readonly description: string
  readonly status: WebhookStatus
  /** Without regard to the workspace. */
  readonly stored_status: WebhookStatus
  readonly off_reason: Webhook['offReason']
  readonly stopped_at: number | null
  readonly failing_since: number | null
  readonly created_by_type: Creator['type']
  readonly created_by_public_id: string
  readonly created_at: number
  readonly updated_at: number
  readonly version: number
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    publicId: row.public_id,
    workspaceId: row.workspace_id,
    url: row.url,
    eventTypes: JSON.parse(row.event_types) as string[],
    description: row.description,
    status: row.status,
    offReason: row.off_reason,
    stoppedAt: row.stopped_at,
    failingSince: row.failing_since,
    createdBy: { type: row.created_by_type, publicId: row.created_by_public_id },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }
}
