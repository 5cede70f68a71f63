import { describe, expect, test } from 'vitest'
import { answerComplaints, answerMetrics } from '../src/bench/attacks/answers.ts'
import { ATTACKS } from '../src/bench/attacks/index.ts'
import { readTyped, settingsOf } from '../src/bench/frame/flags.ts'
import type { Flags, Prepared, RoundMeasurements, Scenario } from '../src/bench/frame/scenario.ts'
import { InFlight } from '../src/bench/measure/inFlight.ts'
import { idle } from '../src/bench/scenarios/idle.ts'
import { SCENARIOS } from '../src/bench/scenarios/index.ts'
import { isolation } from '../src/bench/scenarios/isolation.ts'
import { recovery } from '../src/bench/scenarios/recovery.ts'
import { share } from '../src/bench/scenarios/share.ts'
import { tracing } from '../src/bench/scenarios/tracing.ts'
import { prepareEarlierBuild } from '../src/bench/stage/builds.ts'

test('scenarios have unique names', () => {
  const names = SCENARIOS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
  const all = scenario.stores.flatMap((store) =>
    [[], ['--quick']].map((more) => settingsOf(scenario, readTyped(['--store', store, ...more], []))),
  )

  test('shows an existing metric as its headline', () => {
    expect(scenario.metrics).toHaveProperty(scenario.headline)
  })

  test('has goals only for existing metrics', () => {
    for (const settings of all) {
      for (const { metric, variant } of scenario.goals(settings)) {
        expect(variant === undefined ? scenario.derived : scenario.metrics).toHaveProperty([metric])
        if (variant !== undefined) expect(scenario.variants(settings)).toContain(variant)
      }
    }
  })

  test('derives metrics only from measured ones', () => {
    const variants = scenario.variants(all[0]!)
    for (const { of } of Object.values(scenario.derived)) expect(of({}, variants)).toBeNaN()
  })

  test('uses existing variants in derived metrics', () => {
    for (const settings of all) {
      const ones = Object.fromEntries(Object.keys(scenario.metrics).map((name) => [name, 1]))
      const variants = scenario.variants(settings)
      const round = Object.fromEntries(variants.map((variant) => [variant, ones]))
      for (const { of } of Object.values(scenario.derived)) expect(of(round, variants)).not.toBeNaN()
    }
  })
})

const derive = ({ derived }: Pick<typeof isolation, 'derived'>, round: RoundMeasurements) =>
  Object.fromEntries(Object.entries(derived).map(([name, { of }]) => [name, of(round, [])]))

test('isolation compares healthy webhooks next to unhealthy ones with all healthy', () => {
  const round = {
    'all healthy': { receivedP50Ms: 1, receivedP99Ms: 4, deliveriesPerSecond: 100 },
    mixed: { receivedP50Ms: 1.5, receivedP99Ms: 5, deliveriesPerSecond: 90 },
  }
  expect(derive(isolation, round)).toEqual({ p50Ratio: 1.5, p99Ratio: 1.25, throughputRatio: 0.9 })
})

test('share compares the others during each attack with the others alone', () => {
  const metrics = { acknowledgedP50Ms: 1, acknowledgedP99Ms: 2, receivedP50Ms: 2, receivedP99Ms: 4 }
  const round = { alone: metrics, flood: { ...metrics, acknowledgedP99Ms: 5, receivedP99Ms: 12 } }
  expect(derive(share, round)).toMatchObject({
    'flood acknowledgedP50Ms': 1,
    'flood acknowledgedP99Ms': 2.5,
    'flood receivedP50Ms': 1,
    'flood receivedP99Ms': 3,
    'fan-out receivedP99Ms': Number.NaN,
  })
})

describe('share', () => {
  const read = (...args: string[]) => settingsOf(share, readTyped(args, Object.keys(share.flags)))

  test('measures each attack, or the named ones, next to the others alone', () => {
    expect(share.variants(read())).toEqual(['alone', ...ATTACKS.map(({ name }) => name)])
    const two = read('--attacks', 'flood,fan-out')
    expect(share.variants(two)).toEqual(['alone', 'fan-out', 'flood'])
    expect(new Set(share.goals(two).map(({ metric }) => metric))).toEqual(
      new Set(['fan-out', 'flood'].flatMap((name) => [`${name} acknowledgedP99Ms`, `${name} receivedP99Ms`])),
    )
    expect(() => read('--attacks', 'floods')).toThrow('--attacks must be one or more of greedy-paced')
  })

  test('has attacks whose flags and metrics do not conflict', () => {
    for (const kind of ['flags', 'metrics'] as const) {
      const byName = new Map<string, unknown>()
      for (const [name, one] of ATTACKS.flatMap((attack) => Object.entries<unknown>(attack[kind]))) {
        expect(byName.get(name) ?? one).toBe(one)
        byName.set(name, one)
        expect(share[kind]).toHaveProperty([name], one)
      }
    }
  })
})

describe('an earlier build', () => {
  const settingsFor = <F extends Flags, P extends Prepared>(scenario: Scenario<F, P>, ...args: string[]) =>
    settingsOf(scenario, readTyped(args, Object.keys(scenario.flags)))

  test('replaces the usual variants, next to this one', () => {
    expect(tracing.variants(settingsFor(tracing))).toEqual(['tracing off', 'tracing on'])
    expect(tracing.variants(settingsFor(tracing, '--before', 'HEAD'))).toEqual(['HEAD', 'this build'])
    expect(idle.variants(settingsFor(idle))).toEqual(['tracing off', 'tracing on'])
    expect(idle.variants(settingsFor(idle, '--before', 'HEAD'))).toEqual(['HEAD', 'this build'])
  })

  test.each(['no-such-commit', 'this build', '-x'])(
    'must be of an existing commit, unlike %s',
    async (commit) => {
      const settings = settingsFor(idle, `--before=${commit}`)
      await expect(prepareEarlierBuild(settings)).rejects.toThrow(
        `--before: this checkout has no commit ${commit}`,
      )
    },
  )
})

test('an idle build is compared by its extra MB', () => {
  const round = { 'tracing off': { idleMb: 100 }, 'tracing on': { idleMb: 111.5 } }
  expect(idle.derived.moreMb!.of(round, ['tracing off', 'tracing on'])).toBe(11.5)
})

test('answers to an attacker are counted by meaning, and wrong ones are complaints', () => {
  const answers = { lawful: { 202: 3, 429: 1, 500: 2 }, broken: { 400: 4, 503: 2, closed: 1, 202: 1 } }
  expect(answerMetrics({ answers })).toEqual({
    acceptedRequests: 4,
    refusedRequests: 3,
    rejectedRequests: 4,
    closedRequests: 1,
  })
  const isExpected = (name: string, status: string) => (name === 'lawful') === (status === '202')
  expect(answerComplaints(answers, isExpected)).toEqual([
    '2 requests of the attacker (lawful) got the response 500',
    '1 requests of the attacker (broken) got the response 202',
  ])
})

test('recovery compares the others while a backlog is sent with the others alone', () => {
  const round = { posthorn: { duringP50Ms: 1.25, duringP99Ms: 6, aloneP50Ms: 1, aloneP99Ms: 4 } }
  expect(derive(recovery, round)).toEqual({ p50Ratio: 1.25, p99Ratio: 1.5 })
})

test('the highest number in flight is counted by group, since the last reset', () => {
  const inFlight = new InFlight()
  const first = inFlight.enter('a')
  const second = inFlight.enter('a')
  inFlight.enter('b')
  expect(inFlight.most()).toEqual({ a: 2, b: 1 })
  first()
  first()
  inFlight.enter('a')
  expect(inFlight.most()).toEqual({ a: 2, b: 1 })
  second()
  inFlight.reset()
  expect(inFlight.most()).toEqual({ a: 1, b: 1 })
})
