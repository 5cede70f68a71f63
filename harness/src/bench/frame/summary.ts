import type { RoundMeasurements, Scenario } from './scenario.ts'
import { type Summary, summarize } from './statistics.ts'

/** Over all rounds; `null` for metrics that could not be measured. */
export interface ScenarioSummary {
  readonly variants: Readonly<Record<string, Readonly<Record<string, Summary | null>>>>
  readonly derived: Readonly<Record<string, Summary | null>>
}

type Described = Pick<Scenario, 'metrics' | 'derived'>

export function summaryOf(
  { metrics, derived }: Described,
  variants: readonly string[],
  rounds: readonly RoundMeasurements[],
): ScenarioSummary {
  const over = (read: (round: RoundMeasurements) => number | undefined) =>
    summarize(rounds.map((round) => read(round) ?? Number.NaN))
  return {
    variants: fromNames(variants, (variant) =>
      fromNames(Object.keys(metrics), (name) => over((round) => round[variant]?.[name])),
    ),
    derived: fromNames(Object.keys(derived), (name) => over((round) => derived[name]!.of(round, variants))),
  }
}

const fromNames = <T>(names: readonly string[], of: (name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, of(name)]))
