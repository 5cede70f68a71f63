import { setTimeout as sleep } from 'node:timers/promises'
import type { Attacker } from '../attacks/attack.ts'
import { ATTACKS } from '../attacks/index.ts'
import { decimals, whole } from '../frame/metrics.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Flags, Goal, Measurements, Metric, Outcome, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import { FixedRatePublisher, type FixedRateResult, measureWhile, singlesOf } from '../measure/fixedRate.ts'
import { giveWay } from '../measure/giveWay.ts'
import { spreadIn } from '../measure/latencies.ts'
import { latencyMetrics } from '../measure/latencyMetrics.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { cpuMicroseconds, peakRssBytes } from '../measure/proc.ts'
import { startWatchedReceiver } from '../measure/watchedReceiver.ts'
import type { Stage } from '../stage/stage.ts'

const NAMES = ATTACKS.map(({ name }) => name)

const FLAGS = {
  workspaces: { kind: 'count', help: 'workspaces besides the attacker', usual: 20 },
  rate: { kind: 'count', help: 'single publish requests per second of each workspace', usual: 20 },
  attacks: {
    kind: 'names',
    help: 'attacks to measure, each compared with a run without an attack',
    choices: NAMES,
    usual: NAMES,
  },
} as const
type ShareSettings = Settings<typeof FLAGS>

const ALONE = 'alone'
const OTHERS = 'others'
/** Allowed factor of an attack on the others' latencies. */
const GOAL_RATIO = 3
/** For the time before and after the window: its own limit stops an attack only if the scenario does not. */
const SPARE_SECONDS = 120

const LATENCIES = latencyMetrics(
  'acknowledgedP50Ms',
  'acknowledgedP99Ms',
  'acknowledgedMaxMs',
  'receivedP50Ms',
  'receivedP90Ms',
  'receivedP99Ms',
  'receivedMaxMs',
  'latenessP99Ms',
)
/** Latencies that are compared with those of the others without an attack. */
const COMPARED = {
  acknowledgedP50Ms: 'acknowledged p50',
  acknowledgedP99Ms: 'acknowledged p99',
  receivedP50Ms: 'received p50',
  receivedP99Ms: 'received p99',
} as const
const WITH_GOAL: readonly (keyof typeof COMPARED)[] = ['acknowledgedP99Ms', 'receivedP99Ms']

const derivedName = (attack: string, metric: string) => `${attack} ${metric}`

/** Flags of all attacks, which must not conflict. */
const attackFlags: Flags = Object.assign({}, ...ATTACKS.map(({ flags }) => flags))
const attackMetrics: Readonly<Record<string, Metric>> = Object.assign(
  {},
  ...ATTACKS.map(({ metrics }) => metrics),
)

export const share: Scenario<typeof FLAGS> = {
  name: 'share',
  summary: 'latencies of other workspaces during an attack, compared with a run without an attack',
  flags: { ...FLAGS, ...attackFlags },
  ...USUAL,
  variants: ({ flags }) => [ALONE, ...NAMES.filter((name) => flags.attacks.includes(name))],
  // Latencies are those of the others.
  metrics: {
    ...LATENCIES.metrics,
    othersPerSecond: whole('deliveries/s of the others'),
    attackerPerSecond: whole('deliveries/s of the attacker'),
    serviceCores: decimals('cores of the service', 2),
    attackerCores: decimals("cores of the attacker's load", 2),
    peakRssMb: whole('peak RSS MB of the service'),
    ...attackMetrics,
  },
  derived: Object.fromEntries(
    NAMES.flatMap((name) =>
      Object.entries(COMPARED).map(([metric, heading]) => [
        derivedName(name, metric),
        ratioMetric(`${heading}, ${name} to alone`, ratio([name, metric], [ALONE, metric])),
      ]),
    ),
  ),
  headline: 'receivedP99Ms',
  goals: ({ flags }): Goal[] =>
    flags.attacks.flatMap((name) =>
      WITH_GOAL.map((metric) => ({ metric: derivedName(name, metric), atMost: GOAL_RATIO })),
    ),
  soundness: 'nothing lost or duplicated; nothing of the others rejected',

  round: (settings) => (variant) =>
    measureOnStage(settings, async (stage) => {
      const watched = await startWatchedReceiver(stage, OTHERS)
      const { receiver, origin } = watched
      const { url, pid } = await stage.startService()
      const { workspaces, rate } = settings.flags
      const hooks = await prepareLoad(() => url, {
        webhooks: workspaces,
        webhooksPerWorkspace: 1,
        receiverOrigin: origin,
        group: OTHERS,
      })
      const attacker = await startAttack(variant, stage, url, settings)
      const streams = singlesOf(hooks, workspaces * rate)
      const publisher = await FixedRatePublisher.start(stage, url, streams, watched.acknowledgedFile, true)
      const { result, meanwhile } = await measureWhile(publisher, receiver, {
        // This long, since at this rate it takes a while until the code is compiled.
        warmUpSeconds: settings.seconds,
        during: () => watch(attacker, pid, settings.seconds),
      })
      const ended = await meanwhile.ended
      await receiver.ask({ kind: 'finish' }, 'finished')
      return {
        metrics: {
          ...LATENCIES.of(result, OTHERS),
          othersPerSecond: spreadIn(result.received.latencies, OTHERS).count / meanwhile.seconds,
          ...meanwhile.metrics,
          peakRssMb: peakRssBytes(pid) / 1e6,
          ...ended.metrics,
        },
        complaints: [
          ...failureComplaints(result.failed),
          ...watched.complaints(),
          ...ended.complaints.map((text) => `${variant}: ${text}`),
        ],
      }
    }),
}

/** @returns `null`: this variant has no attack */
async function startAttack(
  variant: string,
  stage: Stage,
  url: string,
  { seconds, flags }: ShareSettings,
): Promise<Attacker | null> {
  const attack = ATTACKS.find(({ name }) => name === variant)
  if (attack === undefined) return null
  const maxSeconds = 2 * seconds + SPARE_SECONDS
  const attacker = await attack.start({ stage, url, rate: flags.rate, maxSeconds, flags })
  for (const pid of attacker.pids) giveWay(pid)
  return attacker
}

interface Watched {
  readonly seconds: number
  readonly metrics: Measurements
  /** The attack ends with the window, so that pending requests of the others are answered. */
  readonly ended: Promise<Outcome>
}

/** Measures the window. */
async function watch(attacker: Attacker | null, servicePid: number, seconds: number): Promise<Watched> {
  const sample = async () => ({
    atMs: performance.now(),
    delivered: (await attacker?.delivered()) ?? 0,
    service: cpuMicroseconds(servicePid),
    attacker: attacker?.pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0) ?? 0,
  })
  const before = await sample()
  attacker?.strike?.()
  await sleep(seconds * 1000)
  const after = await sample()
  const ended = attacker?.finish() ?? Promise.resolve({ metrics: {}, complaints: [] })
  // If the others fail first, that failure is reported.
  ended.catch(() => undefined)
  const passedMs = after.atMs - before.atMs
  const cores = (who: 'service' | 'attacker') => (after[who] - before[who]) / (passedMs * 1000)
  const ofAttacker = {
    attackerPerSecond: ((after.delivered - before.delivered) / passedMs) * 1000,
    attackerCores: cores('attacker'),
  }
  return {
    seconds: passedMs / 1000,
    metrics: { serviceCores: cores('service'), ...(attacker === null ? {} : ofAttacker) },
    ended,
  }
}

/** A publish of the others must not fail, whatever the attacker does. */
function failureComplaints(failed: FixedRateResult['failed']): Outcome['complaints'] {
  return Object.entries(failed).map(
    ([cause, publishes]) => `${publishes} publish requests of the others failed: ${cause}`,
  )
}
