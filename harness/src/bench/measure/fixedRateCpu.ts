import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '../frame/scenario.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import type { StageOptions } from '../stage/stage.ts'
import { FixedRatePublisher, measureWhile, singlesOf } from './fixedRate.ts'
import { measureOnStage } from './measureOnStage.ts'
import { readMetrics } from './metrics.ts'
import { cpuMicroseconds, peakRssBytes } from './proc.ts'
import { startWatchedReceiver } from './watchedReceiver.ts'

interface FixedRateCpuOptions {
  readonly seconds: number
  readonly webhooks: number
  /** Single publishes per second. */
  readonly rate: number
}

const GROUP = 'hooks'

/**
 * What the service needs for single publishes at a fixed rate; the metrics have the same names as those at
 * full speed.
 */
export function measureCpuAtFixedRate(
  options: StageOptions,
  { seconds, webhooks, rate }: FixedRateCpuOptions,
): Promise<Outcome> {
  return measureOnStage(options, async (stage) => {
    const watched = await startWatchedReceiver(stage, GROUP)
    const { url, pid } = await stage.startService()
    const hooks = await prepareLoad(() => url, { webhooks, receiverOrigin: watched.origin, group: GROUP })
    const publisher = await FixedRatePublisher.start(
      stage,
      url,
      singlesOf(hooks, rate),
      watched.acknowledgedFile,
    )
    const sample = async () => ({
      ...(await readMetrics(url)),
      atMs: performance.now(),
      cpu: cpuMicroseconds(pid),
      database: stage.store.cpuMicros(),
      events: (await publisher.count()).acknowledged,
    })
    const { meanwhile } = await measureWhile(publisher, watched.receiver, {
      // This long, since at this rate it takes a while until the code is compiled.
      warmUpSeconds: seconds,
      during: async () => {
        const before = await sample()
        await sleep(seconds * 1000)
        return { before, after: await sample() }
      },
    })
    const peakRssMb = peakRssBytes(pid) / 1e6
    await watched.receiver.ask({ kind: 'finish' }, 'finished')
    const { before, after } = meanwhile
    const events = after.events - before.events
    return {
      metrics: {
        deliveriesPerSecond: (events / (after.atMs - before.atMs)) * 1000,
        cpuMicrosPerDelivery: (after.cpu - before.cpu) / events,
        databaseCpuMicrosPerDelivery: (after.database - before.database) / events,
        peakRssMb,
        loopDelayP99Ms: after.loopDelayP99Ms,
        loopDelayMaxMs: after.loopDelayMaxMs,
      },
      complaints: watched.complaints(),
    }
  })
}
