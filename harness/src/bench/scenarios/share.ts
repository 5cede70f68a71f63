import { decimals, whole } from '../frame/figures.ts'
import { ratio } from '../frame/ratio.ts'
import type { Scenario, Settings } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import { batchesOf, prepareLoad } from '../load/prepareLoad.ts'
import { countDuring, countOf, drain } from '../measure/counting.ts'
import type { FullSpeedPublisher } from '../measure/fullSpeedPublisher.ts'
import { type Load, openLoad, publishLoad } from '../measure/loads.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { measureWhile, PacedPublisher, singlesOf, startMeasuringReceiver } from '../measure/paced.ts'
import type { Stage } from '../stage/stage.ts'

const FLAGS = {
  workspaces: { kind: 'count', help: 'besides the greedy one', usual: 20 },
  rate: { kind: 'count', help: 'single publishes a second of each of them', usual: 20 },
  times: { kind: 'count', help: 'the share of the greedy one: events in each of its publishes', usual: 100 },
} as const

const ALONE = 'alone'
const AT_PACE = 'greedy at a pace'
const AT_FULL_SPEED = 'greedy at full speed'
const OTHERS = 'others'
const GREEDY = 'greedy'
/** All that a workspace of the content service may have. */
const GREEDY_WEBHOOKS = 10

const toAlone = (variant: string, figure: string) => ratio([variant, figure], [ALONE, figure])

export const share: Scenario<typeof FLAGS> = {
  name: 'share',
  summary: 'what other workspaces feel while one publishes 100 times its share, and as fast as it can',
  flags: FLAGS,
  stores: ['sqlite', 'postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
  variants: () => [ALONE, AT_PACE, AT_FULL_SPEED],
  // Latencies are those of the others.
  figures: {
    acknowledgedP50Ms: decimals('acknowledged p50 ms', 2),
    acknowledgedP99Ms: decimals('acknowledged p99 ms', 2),
    receivedP50Ms: decimals('received p50 ms', 2),
    receivedP90Ms: decimals('received p90 ms', 2),
    receivedP99Ms: decimals('received p99 ms', 2),
    receivedMaxMs: decimals('received max ms', 1),
    latenessP99Ms: decimals('publisher late p99 ms', 2),
    othersPerSecond: whole('deliveries/s of the others'),
    greedyPerSecond: whole('deliveries/s of the greedy one'),
  },
  derived: {
    pacedP50Ratio: {
      ...decimals('p50, greedy at a pace to alone', 2),
      of: toAlone(AT_PACE, 'receivedP50Ms'),
    },
    pacedP99Ratio: {
      ...decimals('p99, greedy at a pace to alone', 2),
      of: toAlone(AT_PACE, 'receivedP99Ms'),
    },
    fullSpeedP50Ratio: {
      ...decimals('p50, greedy at full speed to alone', 2),
      of: toAlone(AT_FULL_SPEED, 'receivedP50Ms'),
    },
    fullSpeedP99Ratio: {
      ...decimals('p99, greedy at full speed to alone', 2),
      of: toAlone(AT_FULL_SPEED, 'receivedP99Ms'),
    },
  },
  headline: 'receivedP99Ms',
  goals: () => [],

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const files = { received: stage.file('received'), acknowledged: stage.file('acknowledged') }
      const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: files.received })
      const { url } = await stage.startService()
      const { workspaces, rate } = settings.flags
      const hooks = await prepareLoad(() => url, {
        webhooks: workspaces,
        webhooksPerWorkspace: 1,
        receiverOrigin: origin,
        group: OTHERS,
      })
      const greedy = await openLoad(stage, () => url, GREEDY_WEBHOOKS, 0)
      const greedyPublisher = await startGreedy(variant, stage, url, greedy, settings)
      const streams = singlesOf(hooks, workspaces * rate)
      const publisher = await PacedPublisher.start(stage, url, streams, files.acknowledged)
      const window = { warmUpDeliveries: 0, seconds: settings.seconds }
      const { result, meanwhile } = await measureWhile(publisher, receiver, {
        // So long, since at this rate it takes a while until the code is compiled.
        warmUpSeconds: settings.seconds,
        during: () =>
          countDuring(
            () => countOf([greedy.receiver]),
            window,
            () => null,
          ),
      })
      const greedyPublished = await greedyPublisher?.finish()
      await drain(greedy.receiver, greedyPublished?.acknowledged ?? 0)
      await receiver.ask({ kind: 'finish' }, 'finished')
      await greedy.receiver.ask({ kind: 'finish' }, 'finished')
      const publishing = result.acknowledged[OTHERS]!
      const receiving = result.received.latencies[OTHERS]!
      return {
        figures: {
          acknowledgedP50Ms: publishing.p50Ms,
          acknowledgedP99Ms: publishing.p99Ms,
          receivedP50Ms: receiving.p50Ms,
          receivedP90Ms: receiving.p90Ms,
          receivedP99Ms: receiving.p99Ms,
          receivedMaxMs: receiving.maxMs,
          latenessP99Ms: result.lateness[OTHERS]!.p99Ms,
          othersPerSecond: receiving.count / meanwhile.seconds,
          greedyPerSecond: meanwhile.deliveries / meanwhile.seconds,
        },
        complaints: [
          ...complaintsOf(compareIds(files.acknowledged, files.received)),
          ...(greedyPublisher === null
            ? []
            : complaintsOf(compareIds(greedy.files.acknowledged, greedy.files.received))),
        ],
      }
    }),
}

/** @returns `null`: in this variant it publishes nothing */
async function startGreedy(
  variant: string,
  stage: Stage,
  url: string,
  load: Load,
  { flags }: Settings<typeof FLAGS>,
): Promise<FullSpeedPublisher | PacedPublisher | null> {
  if (variant === ALONE) return null
  if (variant === AT_FULL_SPEED) return publishLoad(stage, [{ url }], load, 0)
  // As many requests as each of the others makes, each with so many times as many events.
  const streams = batchesOf(load.hooks, flags.times).map(({ body, ...batch }) => ({
    ...batch,
    group: GREEDY,
    template: body,
    requestsPerSecond: flags.rate,
  }))
  return PacedPublisher.start(stage, url, streams, load.files.acknowledged)
}
