import { decimals } from '../frame/metrics.ts'
import { lastToFirst } from '../frame/ratio.ts'
import type { Goal, Measurements, Outcome, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { whileCollecting } from '../measure/collecting.ts'
import { measureCpuAtFixedRate } from '../measure/fixedRateCpu.ts'
import { FULL_SPEED_METRICS, measureFullSpeed } from '../measure/fullSpeed.ts'
import { BEFORE, type EarlierBuild, prepareEarlierBuild, programOf, variantsOr } from '../stage/builds.ts'
import type { StageOptions } from '../stage/stage.ts'

const FLAGS = {
  webhooks: WEBHOOKS,
  rate: {
    kind: 'count',
    help: 'single publish requests per second; 0: batches, as fast as they are delivered',
    usual: 0,
    lowest: 0,
  },
  sampled: { kind: 'count', help: 'traced publish requests out of 100', usual: 1, lowest: 0 },
  signals: {
    kind: 'names',
    help: 'signals that are sent to the collector',
    choices: ['traces', 'metrics'],
    usual: ['traces'],
  },
  before: BEFORE,
} as const
type TracingSettings = Settings<typeof FLAGS>

const OFF = 'tracing off'
const ON = 'tracing on'
/** Allowed share that tracing may add to the CPU time of an event, or take from the throughput. */
const MOST = 0.03

const { cpuMicrosPerDelivery, databaseCpuMicrosPerDelivery, deliveriesPerSecond } = FULL_SPEED_METRICS
const { peakRssMb, loopDelayP99Ms, loopDelayMaxMs } = FULL_SPEED_METRICS

export const tracing: Scenario<typeof FLAGS, EarlierBuild> = {
  name: 'tracing',
  summary:
    'cost of traces to a collector, compared with none; with --before: this build without traces, compared with an earlier build',
  flags: FLAGS,
  ...USUAL,
  variants: (settings) => variantsOr(settings, [OFF, ON]),
  metrics: {
    deliveriesPerSecond,
    // Per event with its delivery; the same number in ms applies to 1,000.
    cpuMicrosPerDelivery,
    databaseCpuMicrosPerDelivery,
    peakRssMb,
    loopDelayP99Ms,
    loopDelayMaxMs,
    spans: decimals('spans received', 0),
  },
  derived: {
    cpuRatio: { ...decimals('CPU, last to first', 3), of: lastToFirst('cpuMicrosPerDelivery') },
    throughputRatio: { ...decimals('throughput, last to first', 3), of: lastToFirst('deliveriesPerSecond') },
    rssRatio: { ...decimals('peak RSS, last to first', 3), of: lastToFirst('peakRssMb') },
  },
  headline: 'cpuMicrosPerDelivery',
  goals: ({ flags }): Goal[] => [
    { metric: 'cpuRatio', atMost: 1 + MOST },
    // At a fixed rate it is the same, or the run is unsound.
    ...(flags.rate === 0 ? [{ metric: 'throughputRatio', atLeast: 1 - MOST }] : []),
  ],

  prepare: prepareEarlierBuild,

  round: (settings, earlier) => (variant) => {
    const options: StageOptions = { ...settings, ...programOf(settings, earlier, variant) }
    return variant === ON ? measureTraced(options, settings) : measureLoad(options, settings)
  },
}

/** The collector has its own process on the same cores. */
function measureTraced(options: StageOptions, settings: TracingSettings): Promise<Outcome> {
  const { sampled, signals } = settings.flags
  return whileCollecting({ sampledPercent: sampled, signals }, async ({ environment, spans }) => {
    const { metrics, complaints } = await measureLoad({ ...options, environment }, settings)
    const withSpans: Measurements = { ...metrics, spans: await spans() }
    const isSilent = withSpans.spans === 0 && sampled > 0 && signals.includes('traces')
    return {
      metrics: withSpans,
      complaints: isSilent ? [...complaints, 'the collector received no spans'] : complaints,
    }
  })
}

function measureLoad(options: StageOptions, { seconds, flags }: TracingSettings): Promise<Outcome> {
  const { webhooks, rate } = flags
  return rate === 0
    ? measureFullSpeed(options, { seconds, webhooks })
    : measureCpuAtFixedRate(options, { seconds, webhooks, rate })
}
