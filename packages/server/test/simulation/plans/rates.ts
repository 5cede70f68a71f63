/** Counts what happens in intervals of equal length. Times in milliseconds. */
export function countPer(everyMs: number, times: Iterable<number>, from: number, to: number): number[] {
  const counts = Array.from({ length: Math.floor((to - from) / everyMs) }, () => 0)
  for (const at of times) {
    const interval = Math.floor((at - from) / everyMs)
    if (interval >= 0 && interval < counts.length) counts[interval]!++
  }
  return counts
}

export function mean(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0) / counts.length
}

export function peak(counts: readonly number[]): number {
  return counts.reduce((most, count) => Math.max(most, count), 0)
}
