import { type Attempt, type Delivery, latestAttempt } from './delivery.ts'

interface FailedDelivery {
  readonly delivery: Delivery
  readonly attempt: Attempt
}

/** The delivery whose latest attempt failed last; tests and faults of the service itself do not count. `null`: none of these failed. */
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
