import { setTimeout as sleep } from 'node:timers/promises'
import { decimals } from '../frame/metrics.ts'
import type { Goal, Outcome, Scenario } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { whileCollecting } from '../measure/collecting.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { rssBytes } from '../measure/proc.ts'
import { BEFORE, type EarlierBuild, prepareEarlierBuild, programOf, variantsOr } from '../stage/builds.ts'
import type { StageOptions } from '../stage/stage.ts'

const FLAGS = { before: BEFORE } as const

const OFF = 'tracing off'
const ON = 'tracing on'
/** Extra memory that a build may need over an earlier one. */
const MOST_MB = 5
/** Memory is also read this long before the end: the difference shows whether it has settled. */
const LAST_SECONDS = 2

export const idle: Scenario<typeof FLAGS, EarlierBuild> = {
  name: 'idle',
  summary: 'memory of an idle service: with and without a collector, or of an earlier build and this build',
  flags: FLAGS,
  ...USUAL,
  tls: false,
  seconds: { usual: 30, quick: 5 },
  variants: (settings) => variantsOr(settings, [OFF, ON]),
  metrics: {
    idleMb: decimals('idle RSS MB', 1),
    driftMb: decimals(`change in the last ${LAST_SECONDS} s MB`, 2),
  },
  derived: {
    moreMb: {
      ...decimals('idle RSS, last minus first MB', 1),
      of: (round, variants) =>
        (round[variants.at(-1)!]?.idleMb ?? Number.NaN) - (round[variants[0]!]?.idleMb ?? Number.NaN),
    },
  },
  headline: 'idleMb',
  // The memory for enabled traces and metrics has no goal.
  goals: ({ flags }): Goal[] => (flags.before === '' ? [] : [{ metric: 'moreMb', atMost: MOST_MB }]),
  soundness: 'every start became ready, and every stop was clean',

  prepare: prepareEarlierBuild,

  round: (settings, earlier) => (variant) => {
    const options: StageOptions = { ...settings, ...programOf(settings, earlier, variant) }
    if (variant !== ON) return measureIdle(options, settings.seconds)
    return whileCollecting({ sampledPercent: 1, signals: ['traces', 'metrics'] }, ({ environment }) =>
      measureIdle({ ...options, environment }, settings.seconds),
    )
  },
}

/** Every variant has a new store, and is read the same time after it became ready. */
function measureIdle(options: StageOptions, seconds: number): Promise<Outcome> {
  return measureOnStage(options, async (stage) => {
    const service = await stage.startService()
    await sleep(Math.max(0, seconds - LAST_SECONDS) * 1000)
    const earlier = rssBytes(service.pid)
    await sleep(LAST_SECONDS * 1000)
    const atEnd = rssBytes(service.pid)
    await service.stop()
    return { metrics: { idleMb: atEnd / 1e6, driftMb: (atEnd - earlier) / 1e6 }, complaints: [] }
  })
}
