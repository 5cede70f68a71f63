/**
 * Durations as counts in buckets, each wider than the one before by the same ratio. Durations under 1 ms have one bucket. A
 * percentile is the middle of its bucket, so its error is at most the square root of the ratio.
 */
export interface Scale {
  readonly ratio: number
  readonly buckets: number
  /** Buckets per factor of e. */
  readonly perLog: number
}

const scale = (ratio: number, buckets: number): Scale => ({ ratio, buckets, perLog: 1 / Math.log(ratio) })

/** Reaches beyond a day; the error of a percentile is at most 8 %. The last bucket also has all durations over 28 hours. */
export const WIDE = scale(1.15, 134)
/** Reaches beyond 100 s, which no attempt exceeds; the error of a percentile is at most 3 %. */
export const FINE = scale(1.06, 200)

/** @param ms below 0 counts as 0: a duration between two machines may seem negative, since their clocks differ */
export function bucketOf({ perLog, buckets }: Scale, ms: number): number {
  if (!(ms >= 1)) return 0
  const bucket = 1 + Math.floor(Math.log(ms) * perLog)
  return bucket < buckets ? bucket : buckets - 1
}

/** The same in SQL, for an expression in milliseconds. */
export const bucketSql = ({ perLog, buckets }: Scale, ms: string): string =>
  `CASE WHEN ${ms} >= 1 THEN least(1 + floor(ln(${ms}) * ${perLog})::int, ${buckets - 1}) ELSE 0 END`

/** How many durations each bucket of a scale has. */
export interface Histogram {
  readonly scale: Scale
  readonly counts: readonly number[]
}

/**
 * The nearest-rank percentile of several histograms together.
 * @param share in (0, 1] @returns milliseconds; `null` when there are none
 */
export function percentile(histograms: readonly Histogram[], share: number): number | null {
  const buckets = histograms
    .flatMap(({ scale, counts }) => counts.map((count, bucket) => ({ count, ms: middleOf(scale, bucket) })))
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.ms - other.ms)
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const rank = Math.max(1, Math.ceil(share * total))
  let before = 0
  for (const { count, ms } of buckets) {
    before += count
    if (before >= rank) return ms
  }
  return null
}

const middleOf = ({ ratio }: Scale, bucket: number): number => (bucket === 0 ? 0.5 : ratio ** (bucket - 0.5))
