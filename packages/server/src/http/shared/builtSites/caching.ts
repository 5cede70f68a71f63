import { DAY_MS, SECOND_MS } from '../../../core/duration.ts'

const DAY_S = DAY_MS / SECOND_MS

export const YEAR_S = 365 * DAY_S

/** `Cache-Control` of what a build writes. */
export const CACHING = {
  /** For files whose names change with their content. */
  forever: `public, max-age=${YEAR_S}, immutable`,
  day: `public, max-age=${DAY_S}`,
  /** Browsers may keep it, but must ask whether it is still the same. */
  revalidated: 'no-cache',
} as const
