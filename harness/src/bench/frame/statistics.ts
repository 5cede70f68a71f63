export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Without those that could not be measured. @returns `null` when none could */
export function summarize(values: readonly number[]): Summary | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, min: sorted[0]!, max: sorted.at(-1)! }
}
