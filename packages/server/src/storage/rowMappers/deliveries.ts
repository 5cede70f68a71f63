import type { DeliveryStatus } from '../../core/delivery.ts'
import type { Attempt, DeliveryRecord } from '../rows.ts'
import { ATTEMPTS_SHOWN, type AttemptRow, toAttempt } from './attempts.ts'

/** Of deliveries `d`, their webhooks `w` and their events `e`. */
export const DELIVERY_COLUMNS = `
  d.id, d.webhook_id, w.public_id AS webhook_public_id, d.event_id, e.brought_id, e.type,
  d.status, d.lease, d.next_attempt_at, d.created_at, d.finished_at, d.cancel_reason,
  d.first_webhook_version, d.first_started_at, d.first_duration_ms, d.first_status_code,
  d.first_content_type, d.first_body,
  w.canceled_through, w.canceled_at`

export interface DeliveryRow {
  readonly id: number
  readonly webhook_id: number
  readonly webhook_public_id: string
  readonly event_id: number
  readonly brought_id: string | null
  readonly type: string
  readonly status: DeliveryStatus
  readonly lease: number | null
  readonly next_attempt_at: number | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly cancel_reason: 'expired' | null
  readonly first_webhook_version: number | null
  readonly first_started_at: number | null
  readonly first_duration_ms: number | null
  readonly first_status_code: number | null
  readonly first_content_type: string | null
  readonly first_body: Uint8Array | null
  readonly canceled_through: number | null
  readonly canceled_at: number | null
}

/** @param attempts the newest of those that have rows of their own, by number */
export function toDelivery(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryRecord {
  const canceled = isBeingCanceled(row)
  const status = canceled ? 'canceled' : row.status
  return {
    id: row.id,
    webhookId: row.webhook_id,
    webhookPublicId: row.webhook_public_id,
    eventId: row.event_id,
    broughtEventId: row.brought_id,
    eventType: row.type,
    status,
    cancelReason: status === 'canceled' ? (row.cancel_reason ?? 'webhook_off') : null,
    attempts: [...firstAttempt(row), ...attempts.map(toAttempt)].slice(-ATTEMPTS_SHOWN),
    nextAttemptAt: canceled ? null : row.next_attempt_at,
    createdAt: row.created_at,
    finishedAt: canceled ? row.canceled_at : row.finished_at,
  }
}

/** Whether the delivery's webhook was switched off while upkeep has not come to this row yet. */
export function isBeingCanceled(row: Pick<DeliveryRow, 'id' | 'status' | 'canceled_through'>): boolean {
  return row.status === 'pending' && isMarked(row)
}

/**
 * What whoever wants to send a delivery again must go by: one that was canceled is not finished while an attempt may
 * still be under way, nor while its webhook's rows are being canceled, which would end the new attempt too.
 */
export function statusForResending(
  row: Pick<DeliveryRow, 'id' | 'status' | 'lease' | 'canceled_through'>,
): DeliveryStatus {
  return row.lease === null && !isMarked(row) ? row.status : 'pending'
}

function isMarked({ id, canceled_through: through }: Pick<DeliveryRow, 'id' | 'canceled_through'>): boolean {
  return through !== null && id <= through
}

/** The first attempt stands in the delivery's row when it succeeded. */
function firstAttempt(row: DeliveryRow): Attempt[] {
  if (row.first_started_at === null) return []
  return [
    {
      number: 1,
      trigger: 'schedule',
      webhookVersion: row.first_webhook_version,
      startedAt: row.first_started_at,
      durationMs: row.first_duration_ms!,
      statusCode: row.first_status_code,
      errorCode: null,
      errorMessage: null,
      contentType: row.first_content_type,
      responseBody: row.first_body,
    },
  ]
}
