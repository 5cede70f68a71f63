import type { Machine } from '../measure/machine.ts'
import type { AtStart } from './atStart.ts'
import { goalLines, type JudgedGoal, judge } from './goals.ts'
import type { Metric, RoundMeasurements, Scenario, Settings } from './scenario.ts'
import type { Summary } from './statistics.ts'
import { type ScenarioSummary, summaryOf } from './summary.ts'
import { table } from './table.ts'

/** All results of a scenario's run, as `--json` writes them. */
export interface Report {
  readonly scenario: string
  readonly atStart: AtStart
  readonly machine: Machine
  readonly settings: Settings
  readonly rounds: readonly RoundMeasurements[]
  readonly summary: ScenarioSummary
  readonly goals: readonly JudgedGoal[]
  /** Empty: the run was sound. */
  readonly complaints: readonly string[]
}

export function reportOf(
  scenario: Scenario,
  settings: Settings,
  where: Pick<Report, 'atStart' | 'machine'>,
  rounds: readonly RoundMeasurements[],
  complaints: readonly string[],
): Report {
  const summary = summaryOf(scenario, scenario.variants(settings), rounds)
  const goals = judge(scenario.goals(settings), summary)
  return { scenario: scenario.name, ...where, settings, rounds, summary, goals, complaints }
}

/** Readable text: metrics and variants as a table, then derived metrics, goals and complaints. */
export function reportText(scenario: Scenario, { summary, goals, complaints }: Report): string {
  const variants = Object.keys(summary.variants)
  const rows = Object.entries(scenario.metrics)
    .filter(([name]) => variants.some((variant) => summary.variants[variant]![name] !== null))
    .map(([name, metric]) => [
      metric.heading,
      ...variants.map((variant) => cell(metric, summary.variants[variant]![name]!)),
    ])
  const derived = Object.entries(scenario.derived)
    .filter(([name]) => summary.derived[name] !== null)
    .map(([name, metric]) => [metric.heading, cell(metric, summary.derived[name]!, true)])
  const metrics = [['median (min–max)', ...variants], ...rows]
  const tables = [
    table(scenario.variantsDown === true ? transposed(metrics) : metrics),
    ...(derived.length === 0 ? [] : [table([['within each round', ''], ...derived])]),
  ]
  const lines = [
    ...goalLines(scenario, goals),
    ...(complaints.length === 0
      ? [`sound: ${scenario.soundness ?? 'nothing lost, duplicated or rejected'}`]
      : complaints.map((complaint) => `UNSOUND: ${complaint}`)),
  ]
  return `${tables.join('\n')}\n${lines.join('\n')}\n`
}

export function whereLine({ atStart, machine }: Pick<Report, 'atStart' | 'machine'>): string {
  const { cpu, cores, memoryGb, kernel, node, postgres, dataOnDisk } = machine
  return (
    `${cpu}, ${cores} cores, ${memoryGb} GB, ${kernel}, Node ${node}` +
    (postgres === null ? '' : `, PostgreSQL ${postgres}`) +
    `, load before ${atStart.loadBefore.toFixed(2)}` +
    (dataOnDisk ? '' : '; the store is in MEMORY, so syncs cost nothing')
  )
}

const transposed = (rows: readonly (readonly string[])[]) =>
  rows[0]!.map((_, column) => rows.map((row) => row[column]!))

function cell({ show }: Metric, summary: Summary | null, withInterval = false): string {
  if (summary === null) return '–'
  const { median, min, max, interval } = summary
  if (min === max) return show(median)
  const confident =
    interval === undefined || !withInterval ? '' : `; 95 %: ${show(interval[0])}–${show(interval[1])}`
  return `${show(median)} (${show(min)}–${show(max)}${confident})`
}
