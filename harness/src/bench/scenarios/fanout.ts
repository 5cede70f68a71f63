import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkspace, type WorkspaceClient } from '../../support/workspaces.ts'
import { createEndpoints, fanoutEvent } from '../fanout/publish.ts'
import { BenchError } from '../frame/benchError.ts'
import { decimals, whole } from '../frame/metrics.ts'
import type { Scenario } from '../frame/scenario.ts'
import { summarize } from '../frame/statistics.ts'
import { USUAL } from '../frame/usual.ts'
import { countIds } from '../load/idFile.ts'
import { BLANK_STAMP } from '../load/stamp.ts'
import {
  acceptedBy,
  FixedRatePublisher,
  type MeasuringReceiver,
  startMeasuringReceiver,
} from '../measure/fixedRate.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import type { Stream } from '../programs/fixedRatePublisher.ts'

const FLAGS = {
  endpoints: { kind: 'count', help: 'endpoints that one event reaches', usual: 1_000 },
  events: { kind: 'count', help: 'events in a round, one after the other', usual: 20, quick: 5 },
} as const

const VARIANT = 'posthorn'
const GROUP = 'fan'
const DELIVERY_HEADER = 'x-service-delivery'
/** Not counted: the first events compile code and open connections. */
const WARM_UP_EVENTS = 3
/** Keeps the recording of an event's last result from overlapping the next event. */
const BETWEEN_EVENTS_MS = 500

export const fanout: Scenario<typeof FLAGS> = {
  name: 'fanout',
  summary:
    'one event to 1,000 endpoints of one receiver: time from publishing it to the first and the last arrival',
  flags: FLAGS,
  ...USUAL,
  seconds: null,
  variants: () => [VARIANT],
  metrics: {
    acknowledgedMs: decimals('acknowledged ms', 1),
    firstMs: decimals('first arrival ms', 1),
    medianMs: decimals('half arrived ms', 1),
    lastMs: decimals('last arrival ms', 1),
    worstLastMs: decimals('last arrival ms, worst event', 1),
    deliveriesPerSecond: whole('deliveries/s, first to last'),
    endpointsPerSecond: whole('endpoints created/s'),
  },
  derived: {},
  headline: 'lastMs',
  goals: () => [],

  round: (settings) => () =>
    measureOnStage(settings, async (stage) => {
      const idsFile = stage.file('received')
      const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile, idHeader: DELIVERY_HEADER })
      const { url } = await stage.startService()
      const { endpoints, events } = settings.flags
      const workspace = await createWorkspace(() => url, 'ads', GROUP)
      const { perSecond } = await createEndpoints(workspace, origin, GROUP, endpoints)
      const publisher = await FixedRatePublisher.start(stage, url, [streamOf(workspace)], null)
      const results: Arrivals[] = []
      for (let number = 1; number <= WARM_UP_EVENTS + events; number++) {
        results.push(await publishOne(publisher, receiver, endpoints, endpoints * number))
        await sleep(BETWEEN_EVENTS_MS)
      }
      await publisher.finish()
      await receiver.ask({ kind: 'finish' }, 'finished')
      return {
        metrics: { ...metricsOf(results.slice(WARM_UP_EVENTS), endpoints), endpointsPerSecond: perSecond },
        complaints: complaintsOf(idsFile, endpoints * results.length),
      }
    }),
}

/** Of one event, ms from its publish. */
interface Arrivals {
  readonly acknowledgedMs: number
  readonly firstMs: number
  readonly medianMs: number
  readonly lastMs: number
}

async function publishOne(
  publisher: FixedRatePublisher,
  receiver: MeasuringReceiver,
  endpoints: number,
  acceptedInAll: number,
): Promise<Arrivals> {
  await Promise.all([publisher.begin(), receiver.ask({ kind: 'begin' }, 'done')])
  publisher.once()
  const { latencies } = await acceptedBy(receiver, acceptedInAll)
  const arrivals = latencies[GROUP]
  if (arrivals?.count !== endpoints)
    throw new BenchError(`unsound: ${arrivals?.count ?? 0} arrivals of one event at ${endpoints} endpoints`)
  const acknowledgedMs = (await publisher.count()).latencies[GROUP]!.maxMs
  return { acknowledgedMs, firstMs: arrivals.minMs, medianMs: arrivals.p50Ms, lastMs: arrivals.maxMs }
}

function streamOf({ publishPath, key }: WorkspaceClient): Stream {
  const template = JSON.stringify({ events: [fanoutEvent(BLANK_STAMP)] })
  return { group: GROUP, path: publishPath, key, template, events: 1, requestsPerSecond: 0 }
}

function metricsOf(results: readonly Arrivals[], endpoints: number) {
  const median = (of: (arrivals: Arrivals) => number) => summarize(results.map(of))!.median
  return {
    acknowledgedMs: median(({ acknowledgedMs }) => acknowledgedMs),
    firstMs: median(({ firstMs }) => firstMs),
    medianMs: median(({ medianMs }) => medianMs),
    lastMs: median(({ lastMs }) => lastMs),
    worstLastMs: Math.max(...results.map(({ lastMs }) => lastMs)),
    deliveriesPerSecond: median(({ firstMs, lastMs }) => (endpoints / (lastMs - firstMs)) * 1000),
  }
}

function complaintsOf(idsFile: string, deliveries: number): string[] {
  const { distinct, duplicates } = countIds(idsFile)
  return [
    ...(distinct === deliveries ? [] : [`${distinct} deliveries arrived of ${deliveries}`]),
    ...(duplicates === 0 ? [] : [`${duplicates} deliveries arrived a second time`]),
  ]
}
