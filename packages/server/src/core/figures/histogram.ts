/**
 * Durations as counts in buckets, each 15 % wider than the one before: from 1 ms to more than a day. A percentile is looked
 * for inside one bucket, so that it is never further than 15 % from the exact one. What is under 1 ms has one bucket.
 */

const RATIO = 1.15
const PER_LOG = 1 / Math.log(RATIO)
/** The last one also holds whatever took longer than 28 hours. */
export const BUCKETS = 134

/** @param ms below 0 counts as 0: clocks of two machines may differ by more than a duration */
export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0
  const bucket = 1 + Math.floor(Math.log(ms) * PER_LOG)
  return bucket < BUCKETS ? bucket : BUCKETS - 1
}

/** The same in SQL, of an expression that gives milliseconds. */
export const bucketSql = (ms: string): string =>
  `CASE WHEN ${ms} >= 1 THEN least(1 + floor(ln(${ms}) * ${PER_LOG})::int, ${BUCKETS - 1}) ELSE 0 END`

/**
 * The nearest-rank percentile.
 * @param counts how many durations each bucket has @param share in (0, 1] @returns milliseconds; `null` when there are none
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(share * total))
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    if (before + count >= rank) return inside(bucket, (rank - before - 0.5) / count)
    before += count
  }
  throw new Error('a share is at most 1')
}

/** @param part of the bucket, in (0, 1): those in it are taken to be spread evenly */
function inside(bucket: number, part: number): number {
  return bucket === 0 ? part : RATIO ** (bucket - 1 + part)
}
