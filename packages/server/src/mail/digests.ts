import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import { Loop } from '../engine/loop.ts'
import type { Storage } from '../storage/storage.ts'

const LOOK_EVERY_MS = 5 * SECOND_MS
/** Workspaces of one step. */
const STEP = 20

/** Combines the early warnings of each workspace, so that many webhooks that fail at the same time cause one e-mail. */
export function createDigests(params: {
  readonly storage: Storage['alerts']
  readonly clock: Clock
  readonly failureLog: FailureLog
  /** Called when there is something to send. */
  readonly onNotified: () => void
}): Loop {
  const { storage, clock, failureLog, onNotified } = params
  return new Loop({
    name: 'gathering of early warnings',
    clock,
    failureLog,
    intervalMs: LOOK_EVERY_MS,
    async work() {
      const { looked, made } = await storage.mailAlerts({ now: clock.now(), limit: STEP })
      if (made > 0) onNotified()
      return looked === STEP ? 0 : null
    },
  })
}
