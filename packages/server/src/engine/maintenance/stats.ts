import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { startOf } from '../../core/stats/units.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'
import type { QueueWatch } from './watches.ts'

interface LoopParams {
  readonly storage: Storage['maintenance']
  readonly clock: Clock
  readonly failureLog: FailureLog
}

/** Rest after a step, as a multiple of its duration: publishes wait for a step, and must not wait for all of them. */
const REST = 9

/** Adds pending counts to the time buckets. Readers need not wait for it: each adds the counts that are still pending. */
export function createStatsRollup({ storage, clock, failureLog }: LoopParams): Loop {
  return new Loop({
    name: 'rollup of stats',
    clock,
    failureLog,
    intervalMs: 5 * SECOND_MS,
    async work() {
      const startedAt = clock.monotonic()
      const more = await storage.rollUpStats({ now: clock.now() })
      return more ? (clock.monotonic() - startedAt) * REST : null
    },
  })
}

/** Stores a sample of the queue once a minute; the first node to do so does it for all. */
export function createQueueSampler(params: LoopParams & { readonly queue: QueueWatch }): Loop {
  const { storage, clock, failureLog, queue } = params
  return new Loop({
    name: 'sampling of the queue',
    clock,
    failureLog,
    intervalMs: MINUTE_MS,
    async work() {
      const at = startOf(clock.now(), MINUTE_MS)
      const state = (await storage.hasQueueSample({ at })) ? null : await queue.unlessStopped()
      if (state !== null) await storage.keepQueueSample({ at, ...state })
      return null
    },
  })
}
