/**
 * Loaded before the service (`node --import`), in its main thread and its workers: sets the wall clock off by
 * HARNESS_CLOCK_SKEW_MS. Monotonic time stays as it is, as it does on a machine whose clock is wrong.
 */
import { setWallClock } from './wallClock.js'

const skewMs = Number(process.env.HARNESS_CLOCK_SKEW_MS ?? 0)
const realNow = Date.now

if (skewMs !== 0) setWallClock(() => realNow() + skewMs)
