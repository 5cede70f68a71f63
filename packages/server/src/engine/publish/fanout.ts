import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Tracing } from '../log/tracing.ts'
import { Loop } from '../loop.ts'
import type { Claimer } from '../schedule/claimer.ts'

/** Webhooks per step: some 5 ms of the embedded store, during which publishes wait. */
const STEP_ROWS = 500

/**
 * Creates the deliveries of events that go to many webhooks, after the events are acknowledged. After each step it rests for
 * as long as the step took, so that it uses at most half of the store's time.
 */
export function createFanoutLoop(params: {
  readonly storage: Storage['maintenance']
  readonly clock: Clock
  readonly failureLog: FailureLog
  readonly claimer: Pick<Claimer, 'deliveriesCreated'>
  readonly tracing: Pick<Tracing, 'fannedOut'> | null
}): Loop {
  const { storage, clock, failureLog, claimer, tracing } = params
  return new Loop({
    name: 'fan-out of events',
    clock,
    failureLog,
    intervalMs: 5 * SECOND_MS,
    // Each large publish wakes it.
    keepsRests: true,
    async work() {
      const startedAt = clock.monotonic()
      const { looked, workspaceIds, traced } = await storage.stepFanouts({
        now: clock.now(),
        limit: STEP_ROWS,
      })
      if (looked === 0) return null
      claimer.deliveriesCreated(workspaceIds)
      const tookMs = clock.monotonic() - startedAt
      if (tracing !== null)
        for (const { traceparent, deliveries } of traced)
          tracing.fannedOut(traceparent, { workspaceId: workspaceIds[0]!, deliveries, tookMs })
      return tookMs
    },
  })
}
