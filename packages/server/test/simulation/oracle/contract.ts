// The services' promises for a delivery, written independently by hand: nothing here comes from the code
// under test.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface Contract {
  /** Attempts of a run. */
  readonly attempts: 8
  /** Wait after each attempt but the last, within a tenth. Milliseconds. */
  readonly waits: readonly number[]
  /** A receiver's timeout. Milliseconds. */
  readonly timeout: number
  /** State of a delivery without attempts left. */
  readonly usedUp: 'failed' | 'dead'
  /** Whether a 410, or a day of failing, disables a webhook. */
  readonly givesUp: boolean
  /** How people send a delivery again, from which states, and how many attempts that gives. */
  readonly again: {
    readonly by: 'redeliver' | 'replay'
    readonly from: readonly ('delivered' | 'failed' | 'dead' | 'canceled')[]
    readonly attempts: 1 | 8
  }
  /** The same for a recovery. */
  readonly recovered: {
    readonly by: 'recover'
    readonly from: readonly ('failed' | 'dead' | 'canceled')[]
    readonly attempts: 8
  }
  /** How long a webhook fails before its owner is warned, and before it is disabled. Milliseconds. */
  readonly warnedAfter: number
  readonly offAfter: number
}

export interface Contracts {
  readonly content: Contract
  readonly ads: Contract
}

export const CONTRACTS: Contracts = {
  content: {
    attempts: 8,
    waits: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 8 * HOUR, 9 * HOUR],
    timeout: 15 * SECOND,
    usedUp: 'failed',
    givesUp: true,
    again: { by: 'redeliver', from: ['delivered', 'failed', 'canceled'], attempts: 1 },
    recovered: { by: 'recover', from: ['failed', 'canceled'], attempts: 8 },
    warnedAfter: 12 * HOUR,
    offAfter: 24 * HOUR,
  },
  ads: {
    attempts: 8,
    waits: [30 * SECOND, 90 * SECOND, 270 * SECOND, 810 * SECOND, 2430 * SECOND, 2 * HOUR, 6 * HOUR],
    timeout: 10 * SECOND,
    usedUp: 'dead',
    givesUp: false,
    again: { by: 'replay', from: ['dead'], attempts: 8 },
    recovered: { by: 'recover', from: ['dead', 'canceled'], attempts: 8 },
    warnedAfter: Number.POSITIVE_INFINITY,
    offAfter: Number.POSITIVE_INFINITY,
  },
}

/** The contracts of a service with shorter waits, and receivers' timeouts of `timeouts`. */
export function scaled(
  speed: number,
  timeouts: { readonly content: number; readonly ads: number },
): Contracts {
  const shorter = (contract: Contract, timeout: number): Contract => ({
    ...contract,
    timeout,
    waits: contract.waits.map((wait) => wait / speed),
    warnedAfter: contract.warnedAfter / speed,
    offAfter: contract.offAfter / speed,
  })
  return {
    content: shorter(CONTRACTS.content, timeouts.content),
    ads: shorter(CONTRACTS.ads, timeouts.ads),
  }
}

export const JITTER = 0.1
export const LONGEST_RETRY_AFTER = DAY
/** A delivery due later than any wait allows is moved forward, with a minute's tolerance. */
export const LONGEST_WAIT = DAY + MINUTE
/** Younger data is not deleted. */
export const RETENTION = 30 * DAY
/** The most deliveries that a node has in memory. */
export const MOST_IN_MEMORY = 20_000
