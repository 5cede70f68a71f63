import { setTimeout as sleep } from 'node:timers/promises'
import type { Behavior } from '../../receivers/behavior.ts'
import { whole } from '../frame/metrics.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { type Count, countDuring } from '../measure/counting.ts'
import {
  acceptedBy,
  FixedRatePublisher,
  type MeasuringReceiver,
  measureWhile,
  singlesOf,
} from '../measure/fixedRate.ts'
import { FullSpeedPublisher } from '../measure/fullSpeedPublisher.ts'
import { latencyMetrics } from '../measure/latencyMetrics.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { startWatchedReceiver, type WatchedReceiver } from '../measure/watchedReceiver.ts'

const FLAGS = {
  webhooks: {
    kind: 'count',
    help: 'webhooks: 60 % healthy, 10 % hang, 10 % respond very slowly, 20 % answer 500',
    usual: 200,
  },
  rate: { kind: 'count', help: 'single publish requests per second, over all webhooks', usual: 1_000 },
} as const

const ALL_HEALTHY = 'all healthy'
const MIXED = 'mixed'
const HEALTHY = 'healthy'
const TROUBLED = 'troubled'
/** Behavior of the unhealthy webhooks, and their share of all. */
const TROUBLES: Readonly<Record<string, { readonly share: number; readonly behavior: Behavior }>> = {
  hanging: { share: 0.1, behavior: { kind: 'trick', trick: 'silence' } },
  dripping: { share: 0.1, behavior: { kind: 'trick', trick: 'dripHead' } },
  failing: { share: 0.2, behavior: { kind: 'status', status: 500 } },
}
/** Longer than an attempt may hang: by then, hanging attempts occupy all the slots that they can. */
const WARM_UP_SECONDS = 20
const FULL_SPEED_WARM_UP_SECONDS = 5

const LATENCIES = latencyMetrics('receivedP50Ms', 'receivedP90Ms', 'receivedP99Ms', 'latenessP99Ms')

const toAllHealthy = (what: string, metric: string) =>
  ratioMetric(`${what} to all healthy`, ratio([MIXED, metric], [ALL_HEALTHY, metric]))

export const isolation: Scenario<typeof FLAGS> = {
  name: 'isolation',
  summary:
    'how healthy receivers are affected while 40 % hang, respond very slowly or fail: latency at an even rate, then throughput at full speed',
  flags: FLAGS,
  ...USUAL,
  variants: () => [ALL_HEALTHY, MIXED],
  // All but the last are of the healthy 60 %.
  metrics: {
    ...LATENCIES.metrics,
    pacedPerSecond: whole('deliveries/s, at an even rate'),
    deliveriesPerSecond: whole('deliveries/s, full speed'),
    hangingInFlight: whole('maximum hanging at the same time'),
  },
  derived: {
    p50Ratio: toAllHealthy('p50', 'receivedP50Ms'),
    p99Ratio: toAllHealthy('p99', 'receivedP99Ms'),
    throughputRatio: toAllHealthy('throughput', 'deliveriesPerSecond'),
  },
  headline: 'receivedP99Ms',
  goals: () => [
    { metric: 'p99Ratio', atMost: 1.5 },
    { metric: 'throughputRatio', atLeast: 0.9 },
  ],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const healthy = await startWatchedReceiver(stage, HEALTHY)
      const troubled = await startWatchedReceiver(stage, TROUBLED)
      const { url } = await stage.startService()
      const hooks = await prepareHooks(url, healthy.origin, troubled.origin, settings)
      if (variant === MIXED) await makeTrouble(troubled.receiver)
      await troubled.receiver.ask({ kind: 'begin' }, 'done')
      const { webhooks, rate } = settings.flags
      const publishTo = ({ acknowledgedFile }: WatchedReceiver, some: readonly Hook[]) =>
        FixedRatePublisher.start(
          stage,
          url,
          singlesOf(some, (rate * some.length) / webhooks),
          acknowledgedFile,
        )
      const beside = await publishTo(troubled, hooks.troubled)
      const publisher = await publishTo(healthy, hooks.healthy)
      const { result } = await measureWhile(publisher, healthy.receiver, {
        warmUpSeconds: WARM_UP_SECONDS,
        during: () => sleep(settings.seconds * 1000),
      })
      const options = { idsFile: healthy.acknowledgedFile }
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
      // Deliveries that an unhealthy receiver rejected do not count as missing.
      const compared = variant === MIXED ? [healthy] : [healthy, troubled]
      return {
        metrics: {
          ...LATENCIES.of(result, HEALTHY),
          pacedPerSecond: result.received.latencies[HEALTHY]!.count / settings.seconds,
          deliveriesPerSecond: full.deliveries / full.seconds,
          hangingInFlight: variant === MIXED ? mostInFlight.hanging! : Number.NaN,
        },
        complaints: compared.flatMap((watched) => watched.complaints()),
      }
    }),
}

/** The healthy webhooks and the others have separate receivers, so that neither delays the other there. */
async function prepareHooks(
  url: string,
  healthyOrigin: string,
  troubledOrigin: string,
  { flags }: Settings<typeof FLAGS>,
): Promise<{ readonly healthy: readonly Hook[]; readonly troubled: readonly Hook[] }> {
  const troubled: Hook[] = []
  for (const [group, { share }] of Object.entries(TROUBLES)) {
    const webhooks = Math.round(flags.webhooks * share)
    troubled.push(...(await prepareLoad(() => url, { webhooks, receiverOrigin: troubledOrigin, group })))
  }
  const webhooks = flags.webhooks - troubled.length
  const healthy = await prepareLoad(() => url, { webhooks, receiverOrigin: healthyOrigin, group: HEALTHY })
  return { healthy, troubled }
}

async function makeTrouble(receiver: MeasuringReceiver): Promise<void> {
  for (const [group, { behavior }] of Object.entries(TROUBLES))
    await receiver.ask({ kind: 'behave', group, behavior }, 'done')
}

async function countHealthy(receiver: MeasuringReceiver): Promise<Count> {
  const { accepted } = await receiver.ask({ kind: 'report' }, 'report')
  return { deliveries: accepted[HEALTHY] ?? 0, atMs: performance.now() }
}
