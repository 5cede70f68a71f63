import type { RoundFigures, Scenario } from './scenario.ts'
import { type Summary, summarize } from './statistics.ts'

/** Over all rounds; `null` for figures that could not be measured. */
export interface ScenarioSummary {
  readonly variants: Readonly<Record<string, Readonly<Record<string, Summary | null>>>>
  readonly derived: Readonly<Record<string, Summary | null>>
}

type Described = Pick<Scenario, 'figures' | 'derived'>

export function summaryOf(
  { figures, derived }: Described,
  variants: readonly string[],
  rounds: readonly RoundFigures[],
): ScenarioSummary {
  const over = (read: (round: RoundFigures) => number | undefined) =>
    summarize(rounds.map((round) => read(round) ?? Number.NaN))
  return {
    variants: fromNames(variants, (variant) =>
      fromNames(Object.keys(figures), (name) => over((round) => round[variant]?.[name])),
    ),
    derived: fromNames(Object.keys(derived), (name) => over((round) => derived[name]!.of(round, variants))),
  }
}

const fromNames = <T>(names: readonly string[], of: (name: string) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.map((name) => [name, of(name)]))
