import type { Clock } from '../core/clock.ts'
import { MINUTE_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import { Loop } from '../engine/loop.ts'
import type { Storage } from '../storage/storage.ts'
import { LONGEST_WAIT_MS } from './retries.ts'

const STEP_ROWS = 500
const TOLERANCE_MS = MINUTE_MS

/** Makes messages due now that were scheduled too late while the clock was ahead. */
export function createMailPullIn(params: {
  readonly storage: Storage['notifications']
  readonly clock: Clock
  readonly failureLog: FailureLog
  /** How long a claim lasts. A live node renews its claims before they expire. */
  readonly claimMs: number
}): Loop {
  const { storage, clock, failureLog, claimMs } = params
  return new Loop({
    name: 'search for e-mails due too late',
    clock,
    failureLog,
    intervalMs: MINUTE_MS,
    async work() {
      const now = clock.now()
      const latest = now + Math.max(LONGEST_WAIT_MS, claimMs) + TOLERANCE_MS
      const pulled = await storage.pullInNotifications({ latest, to: now + claimMs, limit: STEP_ROWS })
      return pulled === STEP_ROWS ? 0 : null
    },
  })
}
