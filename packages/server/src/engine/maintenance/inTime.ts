import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'

/** People and scrapes wait for the store for this long. */
export const WAITS_MS = 2 * SECOND_MS

/** @returns what the promise resolves to; rejects when that takes too long */
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
