import { type Delivery, latestAttempt } from './delivery.ts'

/**
 * How many attempts a pending delivery may still get if all of them fail.
 * @param perRun attempts from when it was made, replayed or recovered
 * @returns `null` when it is finished, or the attempts do not tell: it was sent again and nothing came of that yet
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
