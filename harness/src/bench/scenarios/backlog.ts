import { setTimeout as sleep } from 'node:timers/promises'
import { BenchError } from '../frame/benchError.ts'
import { whole } from '../frame/metrics.ts'
import { keepOpen } from '../frame/prepared.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Goal, Outcome, Prepared, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import { BACKLOGS, type BacklogKind, makeBacklog, PROBE } from '../measure/backlog.ts'
import { startUntilFirstSend } from '../measure/firstSend.ts'
import {
  acceptedBy,
  FixedRatePublisher,
  type MeasuringReceiver,
  measureAtFixedRate,
  singlesOf,
  startMeasuringReceiver,
} from '../measure/fixedRate.ts'
import { FULL_SPEED_METRICS, runFullSpeed } from '../measure/fullSpeed.ts'
import { latencyMetrics } from '../measure/latencyMetrics.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { startWatchedReceiver } from '../measure/watchedReceiver.ts'
import { onStage, Stage, type StoreCopy } from '../stage/stage.ts'

const FLAGS = {
  pending: { kind: 'count', help: 'pending deliveries', usual: 1_000_000, quick: 20_000 },
  blocked: { kind: 'count', help: 'webhooks that share the pending deliveries', usual: 300 },
  webhooks: { kind: 'count', help: 'healthy webhooks that share the load', usual: 50 },
  rate: { kind: 'count', help: 'single publish requests per second to healthy webhooks', usual: 200 },
} as const
type BacklogSettings = Settings<typeof FLAGS>

const SINGLES = 'singles'
const WARM_UP_SECONDS = 5
const REACHED_WITHIN_MS = 180_000

/** Log space freed by earlier deliveries distorts the disk metric. */
const { diskBytesPerDelivery: _, ...ALL_BUT_DISK } = FULL_SPEED_METRICS

interface StoredBacklog {
  readonly copy: StoreCopy
  /** Of the probe, Unix ms. */
  readonly dueAt: number
}

interface StoredBacklogs extends Prepared {
  readonly receiver: MeasuringReceiver
  readonly of: ReadonlyMap<string, StoredBacklog>
}

const LATENCIES = latencyMetrics('acknowledgedP50Ms', 'acknowledgedP99Ms', 'receivedP50Ms', 'receivedP99Ms')

const kept = (variant: BacklogKind) =>
  ratioMetric(
    `throughput kept, ${variant}`,
    ratio([variant, 'deliveriesPerSecond'], ['empty', 'deliveriesPerSecond']),
  )

export const backlog: Scenario<typeof FLAGS, StoredBacklogs> = {
  name: 'backlog',
  summary:
    'how many pending deliveries, due later or never accepted by their receiver, affect healthy webhooks and the start',
  flags: FLAGS,
  ...USUAL,
  tls: false,
  variants: () => BACKLOGS,
  metrics: {
    firstSendMs: whole('first send after start, ms'),
    firstHealthySendMs: whole('to a healthy webhook, ms'),
    newReachedMs: whole('all new webhooks reached, ms'),
    ...LATENCIES.metrics,
    ...ALL_BUT_DISK,
  },
  derived: {
    waitingKept: kept('waiting'),
    dueKept: kept('due'),
  },
  headline: 'deliveriesPerSecond',
  goals: (): Goal[] => [
    { metric: 'waitingKept', atLeast: 0.9 },
    { metric: 'dueKept', atLeast: 0.9 },
    ...(['waiting', 'due'] as const).flatMap((variant) => [
      { variant, metric: 'peakRssMb', atMost: 300 },
      { variant, metric: 'firstSendMs', atMost: 2000 },
    ]),
  ],

  prepare: async (settings) => {
    // Its store is not measured, so it is the cheapest one to open.
    const host = await Stage.open({ ...settings, store: 'sqlite' })
    return keepOpen(host, async () => {
      const { receiver, origin } = await startMeasuringReceiver(host, { idsFile: null })
      const backlogs = new Map<string, StoredBacklog>()
      for (const kind of BACKLOGS) {
        const made = await onStage(settings, async (stage) => {
          const dueAt = await makeBacklog(stage, { ...settings.flags, kind, receiver, origin })
          const lack = lackOf(kind, await stage.store.pending(), settings)
          if (lack !== null) throw new BenchError(lack)
          return { copy: await stage.copyStore(host.file(kind)), dueAt }
        })
        backlogs.set(kind, made)
      }
      return { receiver, of: backlogs }
    })
  },

  round: (settings, backlogs) => async (variant) => {
    const { copy, dueAt } = backlogs.of.get(variant)!
    return measureOnStage({ ...settings, from: copy }, async (stage) => {
      await sleep(Math.max(0, dueAt - Date.now()))
      const { requests } = await backlogs.receiver.ask({ kind: 'report' }, 'report')
      const { service, anyMs, groupMs } = await startUntilFirstSend(stage, backlogs.receiver, PROBE)
      const singles = await measureSingles(stage, service.url, settings)
      const full = await runFullSpeed(stage, [service], {
        webhooks: settings.flags.webhooks,
        seconds: settings.seconds,
      })
      const now = await backlogs.receiver.ask({ kind: 'report' }, 'report')
      const lack = lackOf(variant, await stage.store.pending(), settings)
      const early = variant === 'due' ? 0 : now.requests - requests - 1
      return {
        metrics: {
          firstSendMs: anyMs,
          firstHealthySendMs: groupMs,
          ...singles.metrics,
          ...full.metrics,
        },
        complaints: [
          ...singles.complaints,
          ...full.complaints,
          ...(lack === null ? [] : [lack]),
          ...(early === 0 ? [] : [`${early} deliveries were sent before they were due`]),
        ],
      }
    })
  },
}

/** @returns `null` when no delivery of the backlog is missing */
function lackOf(variant: string, held: number, { flags }: BacklogSettings): string | null {
  if (variant === 'empty' || held >= flags.pending) return null
  return `only ${held} of ${flags.pending} deliveries are pending`
}

/** To new webhooks: first one event each until all have arrived, then at a fixed rate. */
async function measureSingles(stage: Stage, url: string, settings: BacklogSettings): Promise<Outcome> {
  const watched = await startWatchedReceiver(stage, SINGLES)
  const { receiver, origin, acknowledgedFile } = watched
  const { webhooks, rate } = settings.flags
  const hooks = await prepareLoad(() => url, { webhooks, receiverOrigin: origin, group: SINGLES })

  // Receivers that hang occupy the slots in which a new webhook would prove that it is healthy.
  const first = await FixedRatePublisher.start(stage, url, singlesOf(hooks, 0), acknowledgedFile)
  const startedAt = performance.now()
  first.once()
  await first.finish()
  await acceptedBy(receiver, webhooks, REACHED_WITHIN_MS)
  const newReachedMs = performance.now() - startedAt

  const publisher = await FixedRatePublisher.start(stage, url, singlesOf(hooks, rate), acknowledgedFile)
  const window = { warmUpSeconds: WARM_UP_SECONDS, seconds: settings.seconds }
  const awaited = (acknowledged: number) => webhooks + acknowledged
  const result = await measureAtFixedRate(publisher, receiver, window, awaited)
  return {
    metrics: { newReachedMs, ...LATENCIES.of(result, SINGLES) },
    complaints: watched.complaints(),
  }
}
