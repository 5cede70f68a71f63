import { setTimeout as sleep } from 'node:timers/promises'
import type { Behaviour } from '../../receivers/behaviour.ts'
import { decimals, whole } from '../frame/figures.ts'
import { ratio } from '../frame/ratio.ts'
import type { Scenario, Settings } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { type Count, countDuring } from '../measure/counting.ts'
import { FullSpeedPublisher } from '../measure/fullSpeedPublisher.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import {
  acceptedBy,
  type MeasuringReceiver,
  measureWhile,
  PacedPublisher,
  singlesOf,
  startMeasuringReceiver,
} from '../measure/paced.ts'

const FLAGS = {
  webhooks: {
    kind: 'count',
    help: 'of them 60 % healthy, 10 % hang, 10 % drip, 20 % answer 500',
    usual: 200,
  },
  rate: { kind: 'count', help: 'single publishes a second, over all webhooks', usual: 1_000 },
} as const

const ALL_HEALTHY = 'all healthy'
const MIXED = 'mixed'
const HEALTHY = 'healthy'
/** What becomes of webhooks that are not healthy, and how many of all they are. */
const TROUBLED: Readonly<Record<string, { readonly share: number; readonly behaviour: Behaviour }>> = {
  hanging: { share: 0.1, behaviour: { kind: 'trick', trick: 'silence' } },
  dripping: { share: 0.1, behaviour: { kind: 'trick', trick: 'dripHead' } },
  failing: { share: 0.2, behaviour: { kind: 'status', status: 500 } },
}
/** Longer than an attempt may hang: by then all that can be taken by hanging ones is taken. */
const WARM_UP_SECONDS = 20
const FULL_SPEED_WARM_UP_SECONDS = 5

const toAllHealthy = (figure: string) => ratio([MIXED, figure], [ALL_HEALTHY, figure])

export const isolation: Scenario<typeof FLAGS> = {
  name: 'isolation',
  summary:
    'what healthy receivers feel while 40 % of all hang, drip or fail: latency at a pace; then their throughput at full speed, the 40 % still at that pace',
  flags: FLAGS,
  stores: ['sqlite', 'postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
  variants: () => [ALL_HEALTHY, MIXED],
  // All but the last are of the healthy 60 %.
  figures: {
    receivedP50Ms: decimals('received p50 ms', 2),
    receivedP90Ms: decimals('received p90 ms', 2),
    receivedP99Ms: decimals('received p99 ms', 2),
    latenessP99Ms: decimals('publisher late p99 ms', 2),
    pacedPerSecond: whole('deliveries/s, at a pace'),
    deliveriesPerSecond: whole('deliveries/s, full speed'),
    hangingInFlight: whole('hanging at once, at most'),
  },
  derived: {
    p50Ratio: { ...decimals('p50 to all healthy', 2), of: toAllHealthy('receivedP50Ms') },
    p99Ratio: { ...decimals('p99 to all healthy', 2), of: toAllHealthy('receivedP99Ms') },
    throughputRatio: {
      ...decimals('throughput to all healthy', 2),
      of: toAllHealthy('deliveriesPerSecond'),
    },
  },
  headline: 'receivedP99Ms',
  goals: () => [
    { figure: 'p99Ratio', atMost: 1.5 },
    { figure: 'throughputRatio', atLeast: 0.9 },
  ],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const filesOf = (name: string) => ({
        received: stage.file(`${name}-received`),
        acknowledged: stage.file(`${name}-acknowledged`),
      })
      const files = filesOf(HEALTHY)
      const besideFiles = filesOf('beside')
      const healthy = await startMeasuringReceiver(stage, { idsFile: files.received })
      const troubled = await startMeasuringReceiver(stage, { idsFile: besideFiles.received })
      const { url } = await stage.startService()
      const hooks = await prepareHooks(url, healthy.origin, troubled.origin, settings)
      if (variant === MIXED) await makeTrouble(troubled.receiver)
      await troubled.receiver.ask({ kind: 'begin' }, 'done')
      const { webhooks, rate } = settings.flags
      const singles = (some: readonly Hook[]) => singlesOf(some, (rate * some.length) / webhooks)
      const beside = await PacedPublisher.start(stage, url, singles(hooks.troubled), besideFiles.acknowledged)
      const publisher = await PacedPublisher.start(stage, url, singles(hooks.healthy), files.acknowledged)
      const { result } = await measureWhile(publisher, healthy.receiver, {
        warmUpSeconds: WARM_UP_SECONDS,
        during: () => sleep(settings.seconds * 1000),
      })
      const options = { idsFile: files.acknowledged }
      await healthy.receiver.ask({ kind: 'progress' }, 'done')
      const fullSpeed = FullSpeedPublisher.start(stage, [{ url }], hooks.healthy, options)
      fullSpeed.follow(healthy.receiver)
      await sleep(FULL_SPEED_WARM_UP_SECONDS * 1000)
      const full = await countDuring(
        () => countHealthy(healthy.receiver),
        { warmUpDeliveries: 0, seconds: settings.seconds },
        () => null,
      )
      const { acknowledged } = await fullSpeed.finish()
      await acceptedBy(healthy.receiver, result.published + acknowledged)
      const besidePublished = await beside.finish()
      const { mostInFlight } =
        variant === MIXED
          ? await troubled.receiver.ask({ kind: 'report' }, 'report')
          : await acceptedBy(troubled.receiver, besidePublished.acknowledged)
      for (const { receiver } of [healthy, troubled]) await receiver.ask({ kind: 'finish' }, 'finished')
      // What troubled ones did not take cannot be missed.
      const compared = variant === MIXED ? [files] : [files, besideFiles]
      const receiving = result.received.latencies[HEALTHY]!
      return {
        figures: {
          receivedP50Ms: receiving.p50Ms,
          receivedP90Ms: receiving.p90Ms,
          receivedP99Ms: receiving.p99Ms,
          latenessP99Ms: result.lateness[HEALTHY]!.p99Ms,
          pacedPerSecond: receiving.count / settings.seconds,
          deliveriesPerSecond: full.deliveries / full.seconds,
          hangingInFlight: variant === MIXED ? mostInFlight.hanging! : Number.NaN,
        },
        complaints: compared.flatMap(({ acknowledged: published, received }) =>
          complaintsOf(compareIds(published, received)),
        ),
      }
    }),
}

/** The healthy ones and the others have receivers of their own, so that none delays another there. */
async function prepareHooks(
  url: string,
  healthyOrigin: string,
  troubledOrigin: string,
  { flags }: Settings<typeof FLAGS>,
): Promise<{ readonly healthy: readonly Hook[]; readonly troubled: readonly Hook[] }> {
  const troubled: Hook[] = []
  for (const [group, { share }] of Object.entries(TROUBLED)) {
    const webhooks = Math.round(flags.webhooks * share)
    troubled.push(...(await prepareLoad(() => url, { webhooks, receiverOrigin: troubledOrigin, group })))
  }
  const webhooks = flags.webhooks - troubled.length
  const healthy = await prepareLoad(() => url, { webhooks, receiverOrigin: healthyOrigin, group: HEALTHY })
  return { healthy, troubled }
}

async function makeTrouble(receiver: MeasuringReceiver): Promise<void> {
  for (const [group, { behaviour }] of Object.entries(TROUBLED))
    await receiver.ask({ kind: 'behave', group, behaviour }, 'done')
}

async function countHealthy(receiver: MeasuringReceiver): Promise<Count> {
  const { accepted } = await receiver.ask({ kind: 'report' }, 'report')
  return { deliveries: accepted[HEALTHY] ?? 0, atMs: performance.now() }
}
