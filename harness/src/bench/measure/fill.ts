import { setTimeout as sleep } from 'node:timers/promises'
import type { PublishedHook } from '../load/prepareLoad.ts'
import type { Stage } from '../stage/stage.ts'
import type { MeasuringReceiver } from './fixedRate.ts'
import { FullSpeedPublisher } from './fullSpeedPublisher.ts'

const LOOK_EVERY_MS = 10
/** A rate below this, in events per second, means that something is wrong. */
const LEAST_PER_SECOND = 500
const PATIENCE_MS = 60_000

interface Filling {
  readonly url: string
  readonly hooks: readonly PublishedHook[]
  /** A minimum; it may be a few batches more. */
  readonly events: number
  /** Number of webhooks that each event reaches; 1 if omitted. */
  readonly deliveriesPerEvent?: number
  /**
   * Waits until it got each event once, whatever it answered. `null`: waits only until the events are stored.
   */
  readonly receiver: MeasuringReceiver | null
}

/**
 * Publishes at full speed until a service has this many more events.
 * @returns how many it were
 * @throws Error when they are not attempted in time, BenchError when a publish failed
 */
export async function fill(stage: Stage, filling: Filling): Promise<number> {
  const { url, hooks, events, deliveriesPerEvent = 1, receiver } = filling
  const requests = async () => (await receiver?.ask({ kind: 'report' }, 'report'))?.requests ?? 0
  const before = await requests()
  const publisher = FullSpeedPublisher.start(stage, [{ url }], hooks, {
    idsFile: null,
    ...(receiver === null ? { maxOutstanding: Number.POSITIVE_INFINITY } : {}),
  })
  const deadline = performance.now() + PATIENCE_MS + (events / LEAST_PER_SECOND) * 1000
  const goOn = async () => {
    if (performance.now() > deadline) throw new Error(`filling the store with ${events} events took too long`)
    await sleep(LOOK_EVERY_MS)
    const attempted = Math.floor(((await requests()) - before) / deliveriesPerEvent)
    publisher.progress(attempted)
    return attempted
  }
  while ((await publisher.count()).acknowledged < events) await goOn()
  const { acknowledged } = await publisher.finish()
  if (receiver !== null) while ((await goOn()) < acknowledged);
  return acknowledged
}
