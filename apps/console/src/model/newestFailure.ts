import { type Attempt, type Delivery, latestAttempt } from './delivery.ts'

interface FailedDelivery {
  readonly delivery: Delivery
  readonly attempt: Attempt
}

/** The delivery with the newest failed attempt, ignoring tests and failures of the service itself; `null`: none. */
export function newestFailure(rows: readonly Delivery[]): FailedDelivery | null {
  let newest: FailedDelivery | null = null
  for (const delivery of rows) {
    const attempt = latestAttempt(delivery)
    if (attempt === null || attempt.error === null) continue
    if (attempt.trigger === 'test' || attempt.cause === 'sender') continue
    if (newest === null || attempt.startedAt > newest.attempt.startedAt) newest = { delivery, attempt }
  }
  return newest
}
