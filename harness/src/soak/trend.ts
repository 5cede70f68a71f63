/** A value at the beginning and at the end. */
export interface Trend {
  readonly first: number
  readonly last: number
  readonly growth: number
}

/** Compares the medians of the first and the last third. @throws RangeError when there are fewer than three values */
export function trendOf(values: readonly number[]): Trend {
  const third = Math.floor(values.length / 3)
  if (third === 0) throw new RangeError('a trend needs at least three values')
  const first = medianOf(values.slice(0, third))
  const last = medianOf(values.slice(-third))
  return { first, last, growth: last - first }
}

/**
 * The minimum of each group of neighboring values. For the heap that is its size after a garbage collection,
 * if there was one in the group.
 * @param size of a group; the last one may be smaller
 */
export function floorsOf(values: readonly number[], size: number): number[] {
  const groups = Math.ceil(values.length / size)
  return Array.from({ length: groups }, (_, group) =>
    Math.min(...values.slice(group * size, (group + 1) * size)),
  )
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
