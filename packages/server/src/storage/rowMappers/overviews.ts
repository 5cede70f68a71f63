import type { AttemptErrorCode, DeliveryStatus } from '../../core/delivery.ts'
import type { LatestDelivery } from '../storage.ts'
import { isBeingCanceled } from './deliveries.ts'

/** Newest events of a workspace that are looked at to count some of them: some 3 ms. */
export const MAX_LOOKED = 2_500
/** Deliveries that nodes hold, looked at for all webhooks: some 10 ms. */
export const MAX_HELD = 10_000

/** Of a delivery `d`; its latest attempt that has a row of its own is read beside it. */
export const LATEST_COLUMNS = `d.id, d.created_at, d.status, d.first_started_at, d.first_status_code`

export interface LatestRow {
  readonly id: number
  readonly created_at: number
  readonly status: DeliveryStatus
  readonly first_started_at: number | null
  readonly first_status_code: number | null
}

export interface LatestAttemptRow {
  readonly started_at: number
  readonly status_code: number | null
  readonly error_code: AttemptErrorCode | null
}

export function toLatestDelivery(
  row: LatestRow,
  attempt: LatestAttemptRow | null,
  canceledThrough: number | null,
): LatestDelivery {
  const canceled = isBeingCanceled({ ...row, canceled_through: canceledThrough })
  return {
    id: row.id,
    createdAt: row.created_at,
    status: canceled ? 'canceled' : row.status,
    attempt: attempt === null ? firstAttempt(row) : toLatestAttempt(attempt),
  }
}

function toLatestAttempt(row: LatestAttemptRow): LatestDelivery['attempt'] {
  return { startedAt: row.started_at, statusCode: row.status_code, errorCode: row.error_code }
}

/** The first attempt stands in the delivery's row when it succeeded. */
function firstAttempt(row: LatestRow): LatestDelivery['attempt'] {
  if (row.first_started_at === null) return null
  return { startedAt: row.first_started_at, statusCode: row.first_status_code, errorCode: null }
}
