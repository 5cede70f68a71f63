import { type Delivery, latestAttempt } from './delivery.ts'

/**
 * Remaining attempts of a pending delivery.
 * @param perRun attempts after it was created, replayed or recovered
 * @returns `null` when it is finished, or unknown because its latest resend has no attempt yet
 */
export function attemptsLeft(delivery: Delivery, perRun: number): number | null {
  if (delivery.status !== 'pending') return null
  const latest = latestAttempt(delivery)
  if (latest === null) return perRun
  const runStart = delivery.attempts.findLastIndex(
    ({ trigger }) => trigger !== 'schedule' && trigger !== 'retry',
  )
  const made = delivery.attempts.length - Math.max(0, runStart)
  const endedRun =
    latest.error === null || made >= perRun || latest.trigger === 'redeliver' || latest.trigger === 'test'
  return endedRun ? null : perRun - made
}
