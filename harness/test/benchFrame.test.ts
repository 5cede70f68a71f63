import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AtStart, lookAround } from '../src/bench/frame/atStart.ts'
import { BenchError } from '../src/bench/frame/benchError.ts'
import { readTyped, settingsOf, usageOf } from '../src/bench/frame/flags.ts'
import { goalLine, judge } from '../src/bench/frame/goals.ts'
import { openJsonFile } from '../src/bench/frame/jsonFile.ts'
import { planOf } from '../src/bench/frame/plan.ts'
import { ratio } from '../src/bench/frame/ratio.ts'
import { type Report, reportOf, reportText } from '../src/bench/frame/report.ts'
import { runScenario } from '../src/bench/frame/runScenario.ts'
import type { Flags, Goal, Prepared, RoundMeasurements, Scenario } from '../src/bench/frame/scenario.ts'
import { summarize } from '../src/bench/frame/statistics.ts'
import { describeMachine } from '../src/bench/measure/machine.ts'
import { growth } from '../src/bench/scenarios/growth.ts'
import { nodes } from '../src/bench/scenarios/nodes.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

const decimal = (heading: string) => ({ heading, show: (value: number) => value.toFixed(1) })

/** Returns the given metrics: for each round, those of its two variants. */
function madeUp(rounds: readonly RoundMeasurements[] = [], changes: Partial<Scenario> = {}): Scenario {
  let next = 0
  return {
    name: 'made-up',
    summary: 'nothing',
    flags: {
      webhooks: { kind: 'count', help: 'how many', usual: 50 },
      rows: { kind: 'counts', help: 'of the store', usual: [0, 1000], quick: [0] },
      spare: { kind: 'count', help: 'seconds', usual: 5, lowest: 0 },
      colors: { kind: 'names', help: 'of all', choices: ['red', 'green', 'blue'], usual: ['red'] },
      before: { kind: 'text', help: 'a commit', usual: '' },
    } satisfies Flags,
    stores: ['sqlite', 'postgres'],
    tls: true,
    seconds: { usual: 20, quick: 5 },
    variants: () => ['quick', 'slow'],
    metrics: { rate: decimal('rate/s'), cost: decimal('cost µs'), never: decimal('never') },
    derived: {
      ratio: { ...decimal('ratio'), of: ratio(['slow', 'rate'], ['quick', 'rate']) },
    },
    headline: 'rate',
    goals: () => [{ metric: 'ratio', atLeast: 0.5 }],
    round: () => {
      const round = rounds[next++]!
      return async (variant) => ({
        metrics: round[variant]!,
        complaints: round[variant]!.rate === 13 ? ['1 event was lost'] : [],
      })
    },
    ...changes,
  }
}

const ROUNDS: readonly RoundMeasurements[] = [
  { quick: { rate: 100, cost: 3 }, slow: { rate: 60 } },
  { quick: { rate: 50, cost: 2 }, slow: { rate: 40 } },
  { quick: { rate: 80, cost: Number.NaN }, slow: { rate: 20 } },
]

const atStart: AtStart = { startedAt: '2026-03-14T09:26:53.589Z', commit: null, loadBefore: 0.5 }
const here = () => ({ atStart, machine: describeMachine(settings()) })

function settings(...args: string[]) {
  const scenario = madeUp()
  return settingsOf(scenario, readTyped(args, Object.keys(scenario.flags)))
}

describe('flags', () => {
  test('have defaults, which --quick makes smaller', () => {
    expect(settings()).toMatchObject({ store: 'sqlite', tls: false, rounds: 3, seconds: 20 })
    expect(settings().flags).toEqual({
      webhooks: 50,
      rows: [0, 1000],
      spare: 5,
      colors: ['red'],
      before: '',
    })
    expect(settings('--quick')).toMatchObject({ rounds: 1, seconds: 5, flags: { webhooks: 50, rows: [0] } })
    expect(settings('--quick', '--rounds', '2')).toMatchObject({ rounds: 2, seconds: 5 })
  })

  test('are parsed by kind', () => {
    const read = settings('--store=postgres', '--tls', '--webhooks', '7', '--rows', '5,0')
    expect(read).toMatchObject({ store: 'postgres', tls: true, flags: { webhooks: 7, rows: [5, 0] } })
    expect(settings('--spare', '0', '--colors', 'blue,red').flags).toMatchObject({
      spare: 0,
      colors: ['blue', 'red'],
    })
    expect(settings('--before', 'v0.1.0').flags.before).toBe('v0.1.0')
  })

  test.each([
    [['--foo'], 'there is no flag --foo; the flags are --quick, --tls, --store'],
    [['word'], 'word is no flag'],
    [['--rounds'], '--rounds needs a value'],
    [['--rounds', '--tls'], '--rounds needs a value'],
    [['--quick=yes'], '--quick takes no value'],
    [['--rounds', '0'], '--rounds must be a whole number from 1, not "0"'],
    [['--seconds', '1.5'], '--seconds must be a whole number from 1, not "1.5"'],
    [['--webhooks', ''], '--webhooks must be a whole number from 1, not ""'],
    [['--rows', '1,x'], '--rows must be a whole number from 0, not "x"'],
    [['--spare', '-1'], '--spare must be a whole number from 0, not "-1"'],
    [['--colors', 'red,pink'], '--colors must be one or more of red, green, blue, not "pink"'],
    [['--store', 'mysql'], '--store must be one of sqlite, postgres'],
  ])('%s: %s', (args, message) => {
    expect(() => settings(...args)).toThrow(message)
  })

  test('are all in the help', () => {
    expect(usageOf([madeUp()])).toMatch(
      /--store NAME[\s\S]*made-up: nothing \(20 s\)\n {2}--webhooks N {4}how many \(50\)[\s\S]*--before TEXT {3}a commit\n/,
    )
  })
})

describe('the plan', () => {
  const embeddedOnly = madeUp([], { name: 'embedded', stores: ['sqlite'], tls: false, seconds: null })
  const scenarios = [madeUp(), embeddedOnly]
  const plan = (...args: string[]) => planOf(scenarios, args)

  test('is the named scenario, or the first', () => {
    expect(plan('embedded', '--quick').runs.map(({ scenario }) => scenario.name)).toEqual(['embedded'])
    expect(plan('--json', 'out').runs.map(({ scenario }) => scenario.name)).toEqual(['made-up'])
    expect(plan('--json', 'out').jsonFile).toBe('out')
  })

  test('with "all" skips scenarios that do not use a flag', () => {
    const { runs, skipped } = plan('all', '--store', 'postgres', '--seconds', '3')
    expect(runs.map(({ scenario }) => scenario.name)).toEqual(['made-up'])
    expect(skipped).toEqual(['embedded: it runs only on sqlite, without --tls'])
    expect(plan('all', '--seconds', '3').runs.map((run) => run.settings.seconds)).toEqual([3, 0])
  })

  test.each([
    [['nope'], 'there is no scenario nope; there are made-up, embedded, and all'],
    [['embedded', '--store', 'postgres'], 'embedded runs on sqlite only'],
    [['embedded', '--tls'], 'embedded does not support --tls; remove it'],
    [['embedded', '--seconds', '3'], 'embedded does not support --seconds; remove it'],
    [['all', '--store', 'mysql'], '--store must be one of sqlite, postgres'],
    [['all', '--webhooks', '3'], 'there is no flag --webhooks'],
  ])('%s: %s', (args, message) => {
    expect(() => plan(...args)).toThrow(message)
  })
})

test('a summary ignores values that could not be measured', () => {
  expect(summarize([3, 1, 2, 10])).toEqual({ median: 2.5, min: 1, max: 10 })
  expect(summarize([Number.NaN, 7])).toEqual({ median: 7, min: 7, max: 7 })
  expect(summarize([Number.NaN])).toBeNull()
})

test.each([
  [5, undefined],
  [6, [1, 6]],
  [8, [1, 8]],
  [9, [2, 8]],
  [10, [2, 9]],
  [20, [6, 15]],
])('the median of %i values has an interval from six on', (count, interval) => {
  // As in tables of the sign test.
  expect(summarize(Array.from({ length: count }, (_, at) => at + 1))!.interval).toEqual(interval)
})

describe('a run', () => {
  const run = async (rounds: readonly RoundMeasurements[], changes: Partial<Scenario> = {}) => {
    const written: string[] = []
    const scenario = madeUp(rounds, changes)
    const report = await runScenario(
      scenario,
      { ...settings(), rounds: rounds.length },
      { atStart, write: (text) => void written.push(text), keep: () => {} },
    )
    return { report, written: written.join('') }
  }

  test('derives within each round, not from medians', async () => {
    const { report } = await run(ROUNDS)
    expect(report.summary.derived.ratio).toEqual({ median: 0.6, min: 0.25, max: 0.8 })
    expect(report.summary.variants.quick!.cost).toEqual({ median: 2.5, min: 2, max: 3 })
    expect(report.complaints).toEqual([])
  })

  test('prints one line per round and a table', async () => {
    const { written } = await run(ROUNDS)
    expect(written).toContain('round 1 of 3: quick 100.0 rate/s; slow 60.0 rate/s;\n')
    expect(written).toMatch(/^rate\/s +80\.0 \(50\.0–100\.0\) +40\.0 \(20\.0–60\.0\)$/m)
    expect(written).toMatch(/^cost µs +2\.5 \(2\.0–3\.0\) +–$/m)
    expect(written).not.toContain('never')
    expect(written).toContain('goal met: ratio: at least 0.5, reached 0.6\n')
    expect(written).toContain('sound: nothing lost')
  })

  test('with many variants prints a line for each, and one for all goals that are met', async () => {
    const goals = (): Goal[] => [
      { variant: 'quick', metric: 'rate', atLeast: 60 },
      { variant: 'slow', metric: 'rate', atLeast: 60 },
    ]
    const { written } = await run(ROUNDS, { variantsDown: true, goals })
    expect(written).toMatch(/^median \(min–max\) +rate\/s +cost µs$/m)
    expect(written).toMatch(/^slow +40\.0 \(20\.0–60\.0\) +–$/m)
    expect(written).toContain('goal MISSED: rate/s (slow): at least 60, reached 40.0')
    expect(written).toContain('goals met: 1 of 2\n')
    expect(written).not.toContain('goal met:')
  })

  test('runs the variants in reverse in every other round', async () => {
    const { written } = await run(ROUNDS)
    expect(written).toContain('round 2 of 3: slow 40.0 rate/s; quick 50.0 rate/s;\n')
    expect(written).toContain('round 3 of 3: quick 80.0 rate/s; slow 20.0 rate/s;\n')
  })

  test('with a loss is unsound', async () => {
    const { report, written } = await run([{ quick: { rate: 13 }, slow: { rate: 13 } }])
    expect(report.complaints).toEqual(['round 1, quick: 1 event was lost', 'round 1, slow: 1 event was lost'])
    expect(written).toContain('UNSOUND: round 1, slow: 1 event was lost\n')
  })

  test('prepares once for all rounds, and always cleans up', async () => {
    const log: string[] = []
    const prepare = async () => {
      log.push('prepared')
      return { close: async () => void log.push('closed') }
    }
    const { written } = await run(ROUNDS, { prepare })
    expect(log).toEqual(['prepared', 'closed'])
    expect(written).toMatch(/^preparing: done in \d+ s\nround 1 of 3:/m)
    const broken = async () => {
      throw new Error('broken')
    }
    await expect(run(ROUNDS, { prepare, round: () => broken })).rejects.toThrow('broken')
    expect(log).toEqual(['prepared', 'closed', 'prepared', 'closed'])
  })

  test('that fails half way reports the results so far', async () => {
    const kept: number[] = []
    const scenario = madeUp(ROUNDS, {
      round: () => async (variant) => {
        if (kept.length === 1 && variant === 'quick') throw new BenchError('too slow')
        return { metrics: ROUNDS[0]![variant]!, complaints: [] }
      },
    })
    const keep = ({ rounds }: Report) => void kept.push(rounds.length)
    const report = await runScenario(scenario, settings(), { atStart, write: () => {}, keep })
    expect(report.complaints).toEqual(['round 2 was stopped early: too slow'])
    expect(report.summary.variants.quick!.rate).toEqual({ median: 100, min: 100, max: 100 })
    expect(report.rounds[1]).toEqual({ slow: { rate: 60 } })
    expect(kept).toEqual([1, 2])
  })

  test('writes the same results as JSON', async () => {
    const { report } = await run(ROUNDS)
    const { scenario, goals, rounds } = JSON.parse(JSON.stringify(report))
    expect({ scenario, goals, rounds: rounds.length }).toEqual({
      scenario: 'made-up',
      goals: [{ metric: 'ratio', atLeast: 0.5, reached: 0.6, missedBy: 0 }],
      rounds: 3,
    })
  })
})

test('an unwritable file for the metrics is rejected before anything is measured, and a writable one keeps its content until there are results', () => {
  const directory = makeDirectory()
  const file = path.join(directory, 'metrics.json')
  writeFileSync(file, 'of yesterday')
  const write = openJsonFile(file)
  expect(readFileSync(file, 'utf8')).toBe('of yesterday')
  write([1])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([1])
  expect(() => openJsonFile(path.join(directory, 'missing', 'metrics.json'))).toThrow(BenchError)
  removeDirectory(directory)
})

test('a run reports its time, commit and PostgreSQL release', () => {
  const { startedAt, commit } = lookAround()
  expect(new Date(startedAt).toISOString()).toBe(startedAt)
  expect(commit ?? 'f'.repeat(40)).toMatch(/^[0-9a-f]{40}(-dirty)?$/)
  expect(describeMachine(settings('--store', 'postgres')).postgres).toMatch(/^\d{2}/)
  expect(here().machine.postgres).toBeNull()
})

describe('a goal', () => {
  const line = (goal: Goal) => {
    const scenario = madeUp()
    const { summary } = reportOf(scenario, settings(), here(), ROUNDS, [])
    return judge([goal], summary).map((judged) => goalLine(scenario, judged))[0]
  }

  test.each<[string, Goal]>([
    [
      'goal MISSED: ratio: at least 0.75, reached 0.6, missed by 0.15 (20.0 %)',
      { metric: 'ratio', atLeast: 0.75 },
    ],
    [
      'goal MISSED: rate/s (slow): at most 32, reached 40.0, missed by 8 (25.0 %)',
      { metric: 'rate', variant: 'slow', atMost: 32 },
    ],
    [
      'goal MISSED: rate/s (slow): at most 0, reached 40.0, missed by 40',
      { metric: 'rate', variant: 'slow', atMost: 0 },
    ],
    [
      'goal met: rate/s (slow): at least 30 and at most 40, reached 40.0',
      { metric: 'rate', variant: 'slow', atLeast: 30, atMost: 40 },
    ],
    ['goal not measured: never (slow): at most 1', { metric: 'never', variant: 'slow', atMost: 1 }],
  ])('%s', (expected, goal) => {
    expect(line(goal)).toBe(expected)
  })
})

describe('variants by number', () => {
  const settingsFor = <F extends Flags, P extends Prepared>(scenario: Scenario<F, P>, ...args: string[]) =>
    settingsOf(scenario, readTyped(args, Object.keys(scenario.flags)))

  test('of the log are sorted, however they are typed', () => {
    const typed = settingsFor(growth, '--rows', '2000,0,1000000')
    expect(growth.variants(typed)).toEqual(['0 rows', '2,000 rows', '1,000,000 rows'])
    // As in a round that was run in reverse.
    const rates = { '1,000,000 rows': 8, '2,000 rows': 9, '0 rows': 10 }
    const round = Object.fromEntries(
      Object.entries(rates).map(([name, n]) => [name, { deliveriesPerSecond: n }]),
    )
    expect(growth.derived.kept!.of(round, growth.variants(typed))).toBe(0.8)
  })

  test('of nodes are at least one', () => {
    expect(nodes.variants(settingsFor(nodes))).toEqual(['1 node', '2 nodes', '4 nodes'])
    expect(() => nodes.round(settingsFor(nodes, '--nodes', '0,1'), { close: async () => {} })).toThrow(
      '--nodes must be whole numbers from 1',
    )
    expect(() => settingsFor(nodes, '--store', 'sqlite')).toThrow('nodes runs on postgres only')
  })
})

test('the report omits metrics derived from variants that did not run', () => {
  const scenario = madeUp([], { variants: () => ['quick'] })
  const report = reportOf(scenario, settings(), here(), [{ quick: { rate: 100 } }], [])
  expect(reportText(scenario, report)).toMatch(/^rate\/s +100\.0$/m)
  expect(reportText(scenario, report)).not.toContain('within each round')
})

test('the report of six rounds has an interval for the median of derived metrics', () => {
  const rounds = [60, 61, 62, 63, 64, 70].map((rate) => ({ quick: { rate: 100 }, slow: { rate } }))
  const scenario = madeUp()
  const text = reportText(scenario, reportOf(scenario, settings(), here(), rounds, []))
  expect(text).toMatch(/^ratio +0\.6 \(0\.6–0\.7; 95 %: 0\.6–0\.7\)$/m)
  expect(text).toMatch(/^rate\/s +100\.0 +62\.5 \(60\.0–70\.0\)$/m)
})

test('the report of a single round has no spreads', () => {
  const scenario = madeUp()
  const report = reportOf(scenario, settings(), here(), ROUNDS.slice(0, 1), [])
  expect(reportText(scenario, report)).toMatch(/^rate\/s +100\.0 +60\.0$/m)
})
