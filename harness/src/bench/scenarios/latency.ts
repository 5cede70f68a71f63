import { decimals } from '../frame/metrics.ts'
import type { Goal, Scenario } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { FixedRatePublisher, measureAtFixedRate, singlesOf } from '../measure/fixedRate.ts'
import { latencyMetrics } from '../measure/latencyMetrics.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { startWatchedReceiver } from '../measure/watchedReceiver.ts'
import type { Stream } from '../programs/fixedRatePublisher.ts'

const FLAGS = {
  webhooks: WEBHOOKS,
  rate: { kind: 'count', help: 'single publish requests per second', usual: 500 },
} as const

const GROUP = 'hooks'
const POSTHORN = 'posthorn'
/**
 * The share of the measurement, the network and the machine: the same events, sent directly to the receiver.
 */
const DIRECT = 'no service'

const LATENCIES = latencyMetrics(
  'acknowledgedP50Ms',
  'acknowledgedP99Ms',
  'receivedP50Ms',
  'receivedP90Ms',
  'receivedP99Ms',
  'receivedMaxMs',
  'latenessP50Ms',
  'latenessP99Ms',
)

export const latency: Scenario<typeof FLAGS> = {
  name: 'latency',
  summary:
    'single publish requests at an even rate: time from the planned start to the 202 response, and to the receiver; compared with requests sent directly to the receiver',
  flags: FLAGS,
  ...USUAL,
  variants: () => [POSTHORN, DIRECT],
  metrics: {
    ...LATENCIES.metrics,
    eventsPerSecond: decimals('events/s', 1),
  },
  derived: {},
  headline: 'receivedP50Ms',
  goals: ({ store }): Goal[] => [
    { variant: POSTHORN, metric: 'receivedP50Ms', atMost: store === 'sqlite' ? 1 : 1.5 },
    { variant: POSTHORN, metric: 'receivedP99Ms', atMost: store === 'sqlite' ? 5 : 7 },
  ],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const watched = await startWatchedReceiver(stage, GROUP)
      const { receiver, origin } = watched
      const service = await stage.startService()
      const { webhooks, rate } = settings.flags
      const hooks = await prepareLoad(() => service.url, { webhooks, receiverOrigin: origin, group: GROUP })
      const streams = singlesOf(hooks, rate)
      const direct = variant === DIRECT
      if (direct) {
        await service.stop()
        // As the service answers a publish.
        await receiver.ask(
          { kind: 'behave', group: GROUP, behavior: { kind: 'status', status: 202 } },
          'done',
        )
      }
      const publisher = direct
        ? await FixedRatePublisher.start(stage, origin, toReceiver(streams, hooks), null)
        : await FixedRatePublisher.start(stage, service.url, streams, watched.acknowledgedFile)
      // This long, since at this rate it takes a while until the code is compiled.
      const window = { warmUpSeconds: settings.seconds, seconds: settings.seconds }
      const result = await measureAtFixedRate(publisher, receiver, window)
      return {
        metrics: {
          ...LATENCIES.of(result, GROUP),
          eventsPerSecond: result.received.latencies[GROUP]!.count / settings.seconds,
        },
        complaints: direct ? [] : watched.complaints(),
      }
    }),
}

const toReceiver = (streams: readonly Stream[], hooks: readonly Hook[]): Stream[] =>
  streams.map((stream, position) => ({ ...stream, path: hooks[position]!.path }))
