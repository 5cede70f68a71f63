import { decimals } from './figures.ts'
import type { RoundFigures, Scenario } from './scenario.ts'

type Reading = readonly [variant: string, figure: string]

type Derived = Scenario['derived'][string]

/** A ratio as a figure of the report. */
export const ratioFigure = (heading: string, of: Derived['of']): Derived => ({ ...decimals(heading, 2), of })

const figureOf = (round: RoundFigures, [variant, figure]: Reading) => round[variant]?.[figure] ?? Number.NaN

/** What one figure of a round is to another; NaN where one of them was not measured. */
export const ratio =
  (of: Reading, to: Reading) =>
  (round: RoundFigures): number =>
    figureOf(round, of) / figureOf(round, to)

/** What a figure of the last variant is to that of the first. */
export const lastToFirst =
  (figure: string) =>
  (round: RoundFigures, variants: readonly string[]): number =>
    ratio([variants.at(-1)!, figure], [variants[0]!, figure])(round)
