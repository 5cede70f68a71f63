import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts'

/** The waits of the retries, which take a day in total. */
const WAITS_MS = [
  ...[1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 4, 4, 8].map((hours) => hours * HOUR_MS),
]
/** The waits when a person is waiting for the message; the last one repeats. */
const HURRIED_WAITS_MS = [10, 20, 30, 60, 120].map((seconds) => seconds * SECOND_MS)

/** The longest wait for a retry. */
export const LONGEST_WAIT_MS = Math.max(...WAITS_MS, ...HURRIED_WAITS_MS)

/**
 * When a rejected message is retried.
 * @param attempts so far
 * @param expiresAt when it becomes useless; `null`: never
 * @returns Unix ms; `null`: there is no retry
 */
export function retryAt(attempts: number, expiresAt: number | null, now: number): number | null {
  const last = HURRIED_WAITS_MS.at(-1)!
  const wait = expiresAt === null ? WAITS_MS[attempts - 1] : (HURRIED_WAITS_MS[attempts - 1] ?? last)
  if (wait === undefined) return null
  return expiresAt === null || now + wait < expiresAt ? now + wait : null
}
