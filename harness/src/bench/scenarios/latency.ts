import { decimals } from '../frame/figures.ts'
import type { Goal, Scenario } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { measurePaced, PacedPublisher, singlesOf, startMeasuringReceiver } from '../measure/paced.ts'
import type { Stream } from '../programs/pacedPublisher.ts'

const FLAGS = {
  webhooks: { kind: 'count', help: 'webhooks that share the load', usual: 50 },
  rate: { kind: 'count', help: 'single publishes a second', usual: 500 },
} as const

const GROUP = 'hooks'
const POSTHORN = 'posthorn'
/** What the measuring itself, the network and the machine take: the same events, sent straight to the receiver. */
const DIRECT = 'no service'

export const latency: Scenario<typeof FLAGS> = {
  name: 'latency',
  summary:
    'single publishes at an even pace: from when each was due to its 202, and to the receiver; and sent straight to it',
  flags: FLAGS,
  stores: ['sqlite', 'postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
  variants: () => [POSTHORN, DIRECT],
  figures: {
    acknowledgedP50Ms: decimals('acknowledged p50 ms', 2),
    acknowledgedP99Ms: decimals('acknowledged p99 ms', 2),
    receivedP50Ms: decimals('received p50 ms', 2),
    receivedP90Ms: decimals('received p90 ms', 2),
    receivedP99Ms: decimals('received p99 ms', 2),
    receivedMaxMs: decimals('received max ms', 1),
    latenessP50Ms: decimals('publisher late p50 ms', 2),
    latenessP99Ms: decimals('publisher late p99 ms', 2),
    eventsPerSecond: decimals('events/s', 1),
  },
  derived: {},
  headline: 'receivedP50Ms',
  goals: ({ store }): Goal[] => [
    { variant: POSTHORN, figure: 'receivedP50Ms', atMost: store === 'sqlite' ? 1 : 1.5 },
    { variant: POSTHORN, figure: 'receivedP99Ms', atMost: store === 'sqlite' ? 5 : 7 },
  ],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const files = { received: stage.file('received'), acknowledged: stage.file('acknowledged') }
      const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: files.received })
      const service = await stage.startService()
      const { webhooks, rate } = settings.flags
      const hooks = await prepareLoad(() => service.url, { webhooks, receiverOrigin: origin, group: GROUP })
      const streams = singlesOf(hooks, rate)
      const direct = variant === DIRECT
      if (direct) {
        await service.stop()
        // As the service answers a publish.
        await receiver.ask(
          { kind: 'behave', group: GROUP, behaviour: { kind: 'status', status: 202 } },
          'done',
        )
      }
      const publisher = direct
        ? await PacedPublisher.start(stage, origin, toReceiver(streams, hooks), null)
        : await PacedPublisher.start(stage, service.url, streams, files.acknowledged)
      // So long, since at this rate it takes a while until the code is compiled.
      const window = { warmUpSeconds: settings.seconds, seconds: settings.seconds }
      const { acknowledged, received, lateness } = await measurePaced(publisher, receiver, window)
      const publishing = acknowledged[GROUP]!
      const receiving = received.latencies[GROUP]!
      return {
        figures: {
          acknowledgedP50Ms: publishing.p50Ms,
          acknowledgedP99Ms: publishing.p99Ms,
          receivedP50Ms: receiving.p50Ms,
          receivedP90Ms: receiving.p90Ms,
          receivedP99Ms: receiving.p99Ms,
          receivedMaxMs: receiving.maxMs,
          latenessP50Ms: lateness[GROUP]!.p50Ms,
          latenessP99Ms: lateness[GROUP]!.p99Ms,
          eventsPerSecond: receiving.count / settings.seconds,
        },
        complaints: direct ? [] : complaintsOf(compareIds(files.acknowledged, files.received)),
      }
    }),
}

const toReceiver = (streams: readonly Stream[], hooks: readonly Hook[]): Stream[] =>
  streams.map((stream, position) => ({ ...stream, path: hooks[position]!.path }))
