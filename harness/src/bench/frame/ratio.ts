import { decimals } from './figures.ts'
import type { RoundFigures, Scenario } from './scenario.ts'

type Reading = readonly [variant: string, figure: string]

type Derived = Scenario['derived'][string]

/** A ratio as a figure of the report. */
export const ratioFigure = (heading: string, of: Derived['of']): Derived => ({ ...decimals(heading, 2), of })

const figureOf = (round: RoundFigures, [variant, figure]: Reading) => round[variant]?.[figure] ?? Number.NaN

/** The ratio of two figures of a round; NaN if one of them was not measured. */
export const ratio =
  (of: Reading, to: Reading) =>
  (round: RoundFigures): number =>
    figureOf(round, of) / figureOf(round, to)

/** The ratio of a figure of the last variant to that of the first. */
export const lastToFirst =
  (figure: string) =>
  (round: RoundFigures, variants: readonly string[]): number =>
    ratio([variants.at(-1)!, figure], [variants[0]!, figure])(round)
