export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  /** Contains the median with 95 % confidence, whatever the distribution; needs at least six values. */
  readonly interval?: readonly [low: number, high: number]
}

const CONFIDENCE = 0.95

/** Ignores values that could not be measured. @returns `null` if there are none left */
export function summarize(values: readonly number[]): Summary | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  const interval = intervalOf(sorted)
  return { median, min: sorted[0]!, max: sorted.at(-1)!, ...(interval === null ? {} : { interval }) }
}

/**
 * Each value is as likely above the true median as below it, so a binomial distribution gives the number of
 * values to cut off at both ends.
 */
function intervalOf(sorted: readonly number[]): readonly [number, number] | null {
  const count = sorted.length
  let cut = -1
  let combinations = 1
  let tail = 2 ** -count
  while (2 * tail <= 1 - CONFIDENCE) {
    cut++
    combinations = (combinations * (count - cut)) / (cut + 1)
    tail += combinations * 2 ** -count
  }
  return cut < 0 ? null : [sorted[cut]!, sorted[count - 1 - cut]!]
}
