import { beforeAll, describe, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { mostInFlight } from './oracle/inFlight.ts'
import { type Crowd, everyMinute, longestWait, planOfCrowds, promptly } from './plans/crowds.ts'
import { Draws } from './plans/draws.ts'
import { answer } from './receivers/receivers.ts'
import { type Run, report, runInMemory } from './run.ts'
import { PATIENCE_MS, seedsOr } from './seeds.ts'

/** Neighbors have been tried by then. */
const TROUBLE_AT = 2 * MINUTE_MS
const LASTS_MS = 12 * MINUTE_MS

const [seed] = seedsOr(31)
const draws = new Draws(seed)
const prompt = promptly(draws)
const hanging = () => answer('none')

/** 300 webhooks of 30 workspaces, each with an event a minute. */
const neighbors: Crowd = {
  dialect: 'content',
  workspaces: 30,
  webhooksEach: 10,
  answerTo: prompt,
  publish: everyMinute(draws, 0, LASTS_MS),
}

/** 40 webhooks without deliveries before the trouble begins. */
const newcomers: Crowd = {
  ...neighbors,
  workspaces: 40,
  webhooksEach: 1,
  publish: (workspace) => [{ at: TROUBLE_AT + draws.between(1, 2 * MINUTE_MS, 62, workspace), events: 1 }],
}

/**
 * Hanging and untried receivers share 320 of the 512 slots. When there are more new ones, each waits until
 * all have been tried once.
 */
const aTurn = (receivers: number) => (receivers / 320) * 10 * SECOND_MS

interface Trouble {
  readonly webhooks: number
  readonly answerTo: Crowd['answerTo']
  /** For each of the webhooks, within a second. */
  readonly events: number
  /** Limit for the wait of a delivery to a neighbor. */
  readonly neighborMs: number
  /** The same for a newcomer. */
  readonly newcomerMs: number
}

/**
 * One workspace, or two with half of the webhooks each: claims go by their numbers, so there is trouble on
 * both sides.
 */
function crowdOf({ webhooks, events, answerTo }: Trouble): Crowd {
  const calls = Math.ceil(events / 1000)
  const at = (call: number) => TROUBLE_AT + Math.floor((call * SECOND_MS) / calls)
  return {
    dialect: 'ads',
    workspaces: 1,
    webhooksEach: Math.ceil(webhooks / 2),
    answerTo,
    publish: () => Array.from({ length: calls }, (_, call) => ({ at: at(call), events: events / calls })),
  }
}

function suite(trouble: Trouble): void {
  const crowd = crowdOf(trouble)
  const plan = planOfCrowds(draws, [crowd, neighbors, newcomers, crowd], LASTS_MS)
  let run: Run
  beforeAll(async () => {
    run = await runInMemory(plan, { overdueMs: LASTS_MS })
  }, PATIENCE_MS)

  test('everything follows the contracts, within the limit in flight', () => {
    expect(run.faults).toEqual([])
    const { inAll, toOne } = mostInFlight(run.arrivals)
    expect(inAll).toBeLessThanOrEqual(512)
    expect(toOne).toBeLessThanOrEqual(10)
  })

  test('no delivery waits longer than allowed', () => {
    const waits = [1, 2].map((position) => longestWait(run, plan.receivers[position]!, MINUTE_MS))
    report(run, seed, `neighbors waited up to ${waits[0]} ms, newcomers up to ${waits[1]} ms`)
    expect(waits[0]).toBeLessThanOrEqual(trouble.neighborMs)
    expect(waits[1]).toBeLessThanOrEqual(trouble.newcomerMs)
  })
}

const SHORT_MS = 100
const A_WHILE_MS = 5 * SECOND_MS
const both = (ms: number) => ({ neighborMs: ms, newcomerMs: ms })

describe('next to 20 hanging receivers with 5,000 deliveries each', () => {
  suite({ webhooks: 20, events: 5000, answerTo: hanging, ...both(SHORT_MS) })
})
describe('next to 2 webhooks with 10,000 deliveries each', () => {
  suite({ webhooks: 2, events: 10_000, answerTo: prompt, ...both(SHORT_MS) })
})
describe('next to 1,000 webhooks of a workspace that publishes 400 times its share', () => {
  suite({ webhooks: 1000, events: 50, answerTo: prompt, ...both(A_WHILE_MS) })
})
describe('next to 200 receivers that fail at once', () => {
  suite({ webhooks: 200, events: 50, answerTo: () => answer(500, 20), ...both(A_WHILE_MS) })
})
describe('next to 3,000 hanging receivers', () => {
  suite({ webhooks: 3000, events: 1, answerTo: hanging, neighborMs: SHORT_MS, newcomerMs: aTurn(3000) })
})
describe('next to 300 hanging receivers with 100 deliveries each', () => {
  suite({ webhooks: 300, events: 100, answerTo: hanging, ...both(SHORT_MS) })
})
describe('next to 2,000 hanging receivers with 50 deliveries each', () => {
  suite({ webhooks: 2000, events: 50, answerTo: hanging, neighborMs: SHORT_MS, newcomerMs: aTurn(2000) })
})
describe('next to 300 receivers that take 9 s to answer 100 deliveries each', () => {
  const answerTo = () => answer(200, 9000)
  suite({ webhooks: 300, events: 100, answerTo, ...both(SHORT_MS) })
})
describe('next to 20 webhooks that take 0.9 s to answer 2,000 deliveries each', () => {
  suite({ webhooks: 20, events: 2000, answerTo: () => answer(200, 900), ...both(SHORT_MS) })
})
