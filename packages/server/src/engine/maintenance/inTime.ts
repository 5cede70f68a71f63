import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'

/** How long people and scrapes wait for the store. */
export const WAITS_MS = 2 * SECOND_MS

/** Rejects when the result takes longer than two seconds. */
export function inTime<Result>(
  clock: Pick<Clock, 'after'>,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(WAITS_MS, () => reject(new Error('the store does not answer')))
    Promise.resolve()
      .then(read)
      .then(resolve, reject)
      .finally(() => timer.cancel())
  })
}
