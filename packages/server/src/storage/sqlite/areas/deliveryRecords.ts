import type { Attempt, DeliveryRecord } from '../../rows.ts'
import type { Connection } from '../connection.ts'

const SELECT = `
  SELECT d.id, d.webhook_id, w.public_id AS webhook_public_id, d.event_id, e.brought_id, e.type,
    d.status, d.lease, d.next_attempt_at, d.created_at, d.finished_at,
    d.first_webhook_version, d.first_started_at, d.first_duration_ms, d.first_status_code,
    d.first_content_type, d.first_body,
    w.canceled_through, w.canceled_at
  FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN events e ON e.id = d.event_id`

export const recordSql = {
  one: `${SELECT} WHERE d.id = ? AND w.workspace_id = ? AND w.deleted_at IS NULL`,
  attempts: `
    SELECT number, trigger, webhook_version, started_at, duration_ms, status_code, error_code, error_message,
      content_type, response_body
    FROM attempts WHERE delivery_id = ? ORDER BY number`,
}

export interface DeliveryRow {
  readonly id: number
  readonly webhook_id: number
  readonly webhook_public_id: string
  readonly event_id: number
  readonly brought_id: string | null
  readonly type: string
  readonly status: DeliveryRecord['status']
  readonly lease: number | null
  readonly next_attempt_at: number | null
  readonly created_at: number
  readonly finished_at: number | null
  readonly first_webhook_version: number | null
  readonly first_started_at: number | null
  readonly first_duration_ms: number | null
  readonly first_status_code: number | null
  readonly first_content_type: string | null
  readonly first_body: Uint8Array | null
  readonly canceled_through: number | null
  readonly canceled_at: number | null
}

interface AttemptRow {
  readonly number: number
  readonly trigger: Attempt['trigger']
  readonly webhook_version: number | null
  readonly started_at: number
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error_code: Attempt['errorCode']
  readonly error_message: string | null
  readonly content_type: string | null
  readonly response_body: Uint8Array | null
}

/** Reads deliveries as the log shows them. */
export function deliveryRecords(db: Connection) {
  const one = db.prepare<[number, number], DeliveryRow>(recordSql.one)
  const attemptsOf = db.prepare<[number], AttemptRow>(recordSql.attempts)

  function toRecord(row: DeliveryRow): DeliveryRecord {
    const canceled = isBeingCanceled(row)
    return {
      id: row.id,
      webhookId: row.webhook_id,
      webhookPublicId: row.webhook_public_id,
      eventId: row.event_id,
      broughtEventId: row.brought_id,
      eventType: row.type,
      status: canceled ? 'canceled' : row.status,
      attempts: [...firstAttempt(row), ...attemptsOf.all(row.id).map(toAttempt)],
      nextAttemptAt: canceled ? null : row.next_attempt_at,
      createdAt: row.created_at,
      finishedAt: canceled ? row.canceled_at : row.finished_at,
    }
  }

  return {
    row: (workspaceId: number, deliveryId: number) => one.get(deliveryId, workspaceId),
    get(workspaceId: number, deliveryId: number): DeliveryRecord | null {
      const row = one.get(deliveryId, workspaceId)
      return row === undefined ? null : toRecord(row)
    },
  }
}

/** Whether the delivery's webhook was switched off while upkeep has not come to this row yet. */
export function isBeingCanceled(row: Pick<DeliveryRow, 'id' | 'status' | 'canceled_through'>): boolean {
  return row.status === 'pending' && row.canceled_through !== null && row.id <= row.canceled_through
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

function toAttempt(row: AttemptRow): Attempt {
  return {
    number: row.number,
    trigger: row.trigger,
    webhookVersion: row.webhook_version,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    statusCode: row.status_code,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    contentType: row.content_type,
    responseBody: row.response_body,
  }
}
