import type { Attempt } from '../rows.ts'

export const ATTEMPT_COLUMNS =
  'number, trigger, webhook_version, started_at, duration_ms, status_code, error_code, error_message, ' +
  'content_type, response_body'

/**
 * Of one delivery, the newest: people may send it again as often as they like for as long as it is kept, and whoever reads it must
 * not pay for all that.
 */
export const ATTEMPTS_SHOWN = 100

export interface AttemptRow {
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

export function toAttempt(row: AttemptRow): Attempt {
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
