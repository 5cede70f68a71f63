import type { Settings } from './posthorn.ts'

const CLOCK_FILE = new URL('./skewedClock.js', import.meta.url).href

/** Settings that shift a service's wall clock by this much from its start on. */
export const skewedBy = (skewMs: number): Settings =>
  skewMs === 0 ? {} : { HARNESS_CLOCK_SKEW_MS: String(skewMs), NODE_OPTIONS: `--import=${CLOCK_FILE}` }
