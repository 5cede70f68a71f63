// What the services promise of a delivery, written down once more and by hand: nothing here comes from the
// code under test.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export interface Contract {
  /** Attempts of a run. */
  readonly attempts: 8
  /** Wait after each attempt but the last, give or take a tenth. Milliseconds. */
  readonly waits: readonly number[]
  /** Time a receiver has for its answer. Milliseconds. */
  readonly timeout: number
  /** State of a delivery whose attempts are used up. */
  readonly usedUp: 'failed' | 'dead'
  /** Whether a 410, or a day of failing, switches a webhook off. */
  readonly givesUp: boolean
}

export const CONTRACTS: { readonly content: Contract; readonly ads: Contract } = {
  content: {
    attempts: 8,
    waits: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 9 * HOUR],
    timeout: 15 * SECOND,
    usedUp: 'failed',
    givesUp: true,
  },
  ads: {
    attempts: 8,
    waits: [30 * SECOND, 90 * SECOND, 270 * SECOND, 810 * SECOND, 2430 * SECOND, 2 * HOUR, 6 * HOUR],
    timeout: 10 * SECOND,
    usedUp: 'dead',
    givesUp: false,
  },
}

export const JITTER = 0.1
export const LONGEST_RETRY_AFTER = 24 * HOUR
export const WARNED_AFTER = 12 * HOUR
export const OFF_AFTER = 24 * HOUR
