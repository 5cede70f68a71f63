import { decimals } from './metrics.ts'
import type { RoundMeasurements, Scenario } from './scenario.ts'

type Reading = readonly [variant: string, metric: string]

type Derived = Scenario['derived'][string]

/** A ratio as a metric of the report. */
export const ratioMetric = (heading: string, of: Derived['of']): Derived => ({ ...decimals(heading, 2), of })

const metricOf = (round: RoundMeasurements, [variant, metric]: Reading) =>
  round[variant]?.[metric] ?? Number.NaN

/** The ratio of two metrics of a round; NaN if one of them was not measured. */
export const ratio =
  (of: Reading, to: Reading) =>
  (round: RoundMeasurements): number =>
    metricOf(round, of) / metricOf(round, to)

/** The ratio of a metric of the last variant to that of the first. */
export const lastToFirst =
  (metric: string) =>
  (round: RoundMeasurements, variants: readonly string[]): number =>
    ratio([variants.at(-1)!, metric], [variants[0]!, metric])(round)
