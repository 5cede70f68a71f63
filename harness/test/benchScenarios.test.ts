import { describe, expect, test } from 'vitest'
import { readTyped, settingsOf } from '../src/bench/frame/flags.ts'
import type { RoundFigures } from '../src/bench/frame/scenario.ts'
import { InFlight } from '../src/bench/measure/inFlight.ts'
import { SCENARIOS } from '../src/bench/scenarios/index.ts'
import { isolation } from '../src/bench/scenarios/isolation.ts'
import { recovery } from '../src/bench/scenarios/recovery.ts'
import { share } from '../src/bench/scenarios/share.ts'

test('scenarios have names of their own', () => {
  const names = SCENARIOS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
  const all = scenario.stores.flatMap((store) =>
    [[], ['--quick']].map((more) => settingsOf(scenario, readTyped(['--store', store, ...more], []))),
  )

  test('shows a figure that it has', () => {
    expect(scenario.figures).toHaveProperty(scenario.headline)
  })

  test('has goals for what it measures', () => {
    for (const settings of all) {
      for (const { figure, variant } of scenario.goals(settings)) {
        expect(variant === undefined ? scenario.derived : scenario.figures).toHaveProperty([figure])
        if (variant !== undefined) expect(scenario.variants(settings)).toContain(variant)
      }
    }
  })

  test('derives nothing from what was not measured', () => {
    const variants = scenario.variants(all[0]!)
    for (const { of } of Object.values(scenario.derived)) expect(of({}, variants)).toBeNaN()
  })

  test('names its variants by what it derives from', () => {
    for (const settings of all) {
      const ones = Object.fromEntries(Object.keys(scenario.figures).map((name) => [name, 1]))
      const variants = scenario.variants(settings)
      const round = Object.fromEntries(variants.map((variant) => [variant, ones]))
      for (const { of } of Object.values(scenario.derived)) expect(of(round, variants)).not.toBeNaN()
    }
  })
})

const derive = ({ derived }: Pick<typeof isolation, 'derived'>, round: RoundFigures) =>
  Object.fromEntries(Object.entries(derived).map(([name, { of }]) => [name, of(round, [])]))

test('isolation compares healthy ones beside others in trouble with all healthy', () => {
  const round = {
    'all healthy': { receivedP50Ms: 1, receivedP99Ms: 4, deliveriesPerSecond: 100 },
    mixed: { receivedP50Ms: 1.5, receivedP99Ms: 5, deliveriesPerSecond: 90 },
  }
  expect(derive(isolation, round)).toEqual({ p50Ratio: 1.5, p99Ratio: 1.25, throughputRatio: 0.9 })
})

test('share compares others beside a greedy one with others alone', () => {
  const round = {
    alone: { receivedP50Ms: 1, receivedP99Ms: 4 },
    'greedy at a pace': { receivedP50Ms: 2, receivedP99Ms: 6 },
    'greedy at full speed': { receivedP50Ms: 3, receivedP99Ms: 10 },
  }
  expect(derive(share, round)).toEqual({
    pacedP50Ratio: 2,
    pacedP99Ratio: 1.5,
    fullSpeedP50Ratio: 3,
    fullSpeedP99Ratio: 2.5,
  })
})

test('recovery compares others while a backlog is sent with others after', () => {
  const round = { posthorn: { duringP50Ms: 1.25, duringP99Ms: 6, afterP50Ms: 1, afterP99Ms: 4 } }
  expect(derive(recovery, round)).toEqual({ p50Ratio: 1.25, p99Ratio: 1.5 })
})

test('the most in flight is what there was at once, by group, since it was counted anew', () => {
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
