import { setTimeout as sleep } from 'node:timers/promises'
import { decimals, whole } from '../frame/metrics.ts'
import type { Goal, Outcome, Scenario } from '../frame/scenario.ts'
import { summarize } from '../frame/statistics.ts'
import { USUAL } from '../frame/usual.ts'
import { rssBytes } from '../measure/proc.ts'
import { onStage, type Stage } from '../stage/stage.ts'

const FLAGS = {
  starts: { kind: 'count', help: 'starts of each variant in each round', usual: 5, quick: 2 },
} as const

/** The first start on a store creates its tables. */
const NEW = 'new store'
const KNOWN = 'empty store'

/** One start. */
interface Start {
  /** From the start of the process to the first 200 of /readyz, polled every 20 ms. */
  readonly readyMs: number
  readonly idleMb: number
}

export const start: Scenario<typeof FLAGS> = {
  name: 'start',
  summary: 'time from the start of the process to readiness, and its memory after some idle time',
  flags: FLAGS,
  ...USUAL,
  tls: false,
  seconds: { usual: 5, quick: 3 },
  variants: () => [NEW, KNOWN],
  metrics: {
    readyMs: whole('ready after ms'),
    slowestReadyMs: whole('ready after ms, slowest'),
    idleMb: decimals('idle RSS MB', 1),
    mostIdleMb: decimals('idle RSS MB, highest', 1),
  },
  derived: {},
  headline: 'readyMs',
  goals: (): Goal[] =>
    [NEW, KNOWN].flatMap((variant) => [
      { variant, metric: 'readyMs', atMost: 1000 },
      { variant, metric: 'idleMb', atMost: 120 },
    ]),
  soundness: 'every start became ready, and every stop was clean',

  round: (settings) => async (variant) => {
    const times = settings.flags.starts
    const one = (stage: Stage) => startAndIdle(stage, settings.seconds)
    if (variant === NEW) return outcomeOf(await repeat(times, () => onStage(settings, one)))
    return onStage(settings, async (stage) => {
      await (await stage.startService()).stop()
      return outcomeOf(await repeat(times, () => one(stage)))
    })
  },
}

async function startAndIdle(stage: Stage, idleSeconds: number): Promise<Start> {
  const startedAt = performance.now()
  const service = await stage.startService()
  const readyMs = performance.now() - startedAt
  await sleep(idleSeconds * 1000)
  const idleMb = rssBytes(service.pid) / 1e6
  await service.stop()
  stage.check()
  return { readyMs, idleMb }
}

/** Runs one start after another. */
async function repeat(times: number, make: () => Promise<Start>): Promise<Start[]> {
  const made: Start[] = []
  while (made.length < times) made.push(await make())
  return made
}

function outcomeOf(starts: readonly Start[]): Outcome {
  const ready = summarize(starts.map(({ readyMs }) => readyMs))!
  const idle = summarize(starts.map(({ idleMb }) => idleMb))!
  const metrics = {
    readyMs: ready.median,
    slowestReadyMs: ready.max,
    idleMb: idle.median,
    mostIdleMb: idle.max,
  }
  return { metrics, complaints: [] }
}
