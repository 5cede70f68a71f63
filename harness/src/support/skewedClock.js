/**
 * Loaded before the service (`node --import`), in its main thread and its workers: shifts the wall clock by
 * HARNESS_CLOCK_SKEW_MS. Monotonic time does not change, as on a machine with a wrong clock.
 */
import { setWallClock } from './wallClock.js'

const skewMs = Number(process.env.HARNESS_CLOCK_SKEW_MS ?? 0)
const realNow = Date.now

if (skewMs !== 0) setWallClock(() => realNow() + skewMs)
