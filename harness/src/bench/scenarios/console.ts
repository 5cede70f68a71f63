import { decimals, whole } from '../frame/metrics.ts'
import type { Goal, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { batchesOf, prepareLoad } from '../load/prepareLoad.ts'
import { fill } from '../measure/fill.ts'
import { FixedRatePublisher, type MeasuringReceiver, startMeasuringReceiver } from '../measure/fixedRate.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { OpenPage } from '../measure/openPage.ts'
import type { Stage } from '../stage/stage.ts'

const FLAGS = {
  rate: { kind: 'count', help: 'deliveries per second, published at an even rate', usual: 10_000 },
} as const

const STILL = 'nothing arrives'
const BUSY = 'many arrive'
const GROUP = 'hooks'
const WEBHOOKS = 10
const BATCH_EVENTS = 100
/** In the list before the page is opened. */
const EARLIER_EVENTS = 1_000

export const consolePage: Scenario<typeof FLAGS> = {
  name: 'console',
  summary: "an open page of a workspace's deliveries in Chromium, while many arrive in that workspace",
  flags: FLAGS,
  ...USUAL,
  tls: false,
  seconds: { usual: 15, quick: 5 },
  variants: () => [STILL, BUSY],
  metrics: {
    deliveriesPerSecond: whole('deliveries/s'),
    longestTaskMs: whole('longest task of the page, ms'),
    tasksOver200: whole('tasks over 200 ms'),
    paintP50Ms: whole('click to paint p50 ms'),
    worstPaintMs: whole('click to paint, worst ms'),
    worstFrameMs: whole('longest without a frame, ms'),
    filterMs: whole('click to filtered list p50 ms'),
    worstFilterMs: whole('click to filtered list, worst ms'),
    rows: whole('rows at the end'),
    heapAtStartMb: decimals('heap at the start, MB', 1),
    heapAtEndMb: decimals('heap at the end, MB', 1),
  },
  derived: {
    heapGrowthMb: {
      ...decimals('heap growth while many arrive, MB', 1),
      of: (round) => (round[BUSY]?.heapAtEndMb ?? Number.NaN) - (round[BUSY]?.heapAtStartMb ?? Number.NaN),
    },
  },
  headline: 'longestTaskMs',
  goals: (): Goal[] => [
    { variant: BUSY, metric: 'longestTaskMs', atMost: 200 },
    { variant: BUSY, metric: 'worstPaintMs', atMost: 200 },
    { metric: 'heapGrowthMb', atMost: 20 },
  ],
  soundness: 'the page showed no error, and every event was accepted',

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
      const { url } = await stage.startService()
      const hooks = await prepareLoad(() => url, { webhooks: WEBHOOKS, receiverOrigin: origin, group: GROUP })
      await fill(stage, { url, hooks, events: EARLIER_EVENTS, receiver })
      const page = await OpenPage.open(url, hooks[0]!.webhookPath.split('/').at(-3)!)
      try {
        if (variant === STILL) return { metrics: await page.use(settings.seconds), complaints: page.faults }
        return await useWhileBusy(stage, page, receiver, settings, url, hooks)
      } finally {
        await page.close()
      }
    }),
}

async function useWhileBusy(
  stage: Stage,
  page: OpenPage,
  receiver: MeasuringReceiver,
  { seconds, flags }: Settings<typeof FLAGS>,
  url: string,
  hooks: Parameters<typeof batchesOf>[0],
) {
  const streams = batchesOf(hooks, BATCH_EVENTS).map(({ path, key, body, events }) => ({
    group: GROUP,
    path,
    key,
    template: body,
    events,
    requestsPerSecond: flags.rate / events,
  }))
  const publisher = await FixedRatePublisher.start(stage, url, streams, null)
  const arrived = async () => (await receiver.ask({ kind: 'report' }, 'report')).requests
  const [before, startedAt] = [await arrived(), performance.now()]
  const metrics = await page.use(seconds)
  const deliveriesPerSecond = ((await arrived()) - before) / ((performance.now() - startedAt) / 1000)
  await publisher.finish()
  return { metrics: { ...metrics, deliveriesPerSecond }, complaints: page.faults }
}
