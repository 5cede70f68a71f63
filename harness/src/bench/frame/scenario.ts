import type { StoreName } from '../stage/stores.ts'

/** A flag of one scenario. */
export type Flag =
  /** A whole number from 1, or from 0 if the flag says so. */
  | {
      readonly kind: 'count'
      readonly help: string
      readonly usual: number
      readonly quick?: number
      readonly lowest?: 0
    }
  /** Whole numbers, with commas between them. */
  | {
      readonly kind: 'counts'
      readonly help: string
      readonly usual: readonly number[]
      readonly quick?: readonly number[]
    }
  /** Some of the choices, with commas between them. */
  | {
      readonly kind: 'names'
      readonly help: string
      readonly choices: readonly string[]
      readonly usual: readonly string[]
      readonly quick?: readonly string[]
    }
  /** Any text; empty where it is left out. */
  | { readonly kind: 'text'; readonly help: string; readonly usual: ''; readonly quick?: '' }

export type Flags = Readonly<Record<string, Flag>>

type ValueOf<F extends Flag> = F extends { readonly kind: 'count' }
  ? number
  : F extends { readonly kind: 'counts' }
    ? readonly number[]
    : F extends { readonly kind: 'text' }
      ? string
      : readonly string[]

/** The settings of the command line, with all defaults filled in. */
export interface Settings<F extends Flags = Flags> {
  readonly store: StoreName
  /** Receivers use HTTPS. */
  readonly tls: boolean
  readonly quick: boolean
  readonly rounds: number
  /** Measured in each variant of each round; 0 if the scenario decides the time. */
  readonly seconds: number
  /** Parent of the temporary data directories, those of PostgreSQL too. */
  readonly dataParent: string
  readonly flags: { readonly [N in keyof F]: ValueOf<F[N]> }
}

/** Numbers by the names of metrics. A missing metric or NaN could not be measured. */
export type Measurements = Readonly<Record<string, number>>

export interface Outcome {
  readonly metrics: Measurements
  /** Why the metrics are invalid: events that were lost, sent twice or rejected. Empty for a sound run. */
  readonly complaints: readonly string[]
}

/** How a metric is formatted. */
export interface Metric {
  /** With its unit. */
  readonly heading: string
  readonly show: (value: number) => string
}

/** The metrics of one round, by variant. */
export type RoundMeasurements = Readonly<Record<string, Measurements>>

/** Computed within each round, since the speed of a shared machine varies; mostly ratios between variants. */
interface DerivedMetric extends Metric {
  /** @param variants in the order in which the scenario names them, whatever order they ran in */
  readonly of: (round: RoundMeasurements, variants: readonly string[]) => number
}

/** The wanted median over all rounds. It does not affect whether a run is sound. */
export interface Goal {
  /** A derived metric, or a metric of {@link Goal.variant}. */
  readonly metric: string
  readonly variant?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** Resources that all rounds share. */
export interface Prepared {
  /** Called once, after the last round. */
  close(): Promise<void>
}

/**
 * One thing to measure: `npm run bench -- <name> [flags]`. Its variants run in turn in each round, so that a
 * slow machine affects all of them. Every other round runs in reverse, so that no variant always follows the
 * same one.
 */
export interface Scenario<F extends Flags = Flags, P extends Prepared = Prepared> {
  readonly name: string
  /** One line for the help. */
  readonly summary: string
  readonly flags: F
  /** Stores that it can run on; the first is the default. */
  readonly stores: readonly [StoreName, ...StoreName[]]
  /** Whether it supports `--tls`. */
  readonly tls: boolean
  /** Default time measured in each variant of each round; `null` if the scenario decides the time. */
  readonly seconds: { readonly usual: number; readonly quick: number } | null
  variants(settings: Settings<F>): readonly string[]
  /** Whether the report has one line per variant: there are more variants than metrics. */
  readonly variantsDown?: boolean
  readonly metrics: Readonly<Record<string, Metric>>
  readonly derived: Readonly<Record<string, DerivedMetric>>
  /** The metric that the progress line shows. */
  readonly headline: string
  goals(settings: Settings<F>): readonly Goal[]
  /** What a run without complaints proves, if the scenario does not check deliveries. */
  readonly soundness?: string
  /**
   * Prepares what all rounds share, if preparing it for each round would take too long. @throws BenchError,
   * as `round`
   */
  prepare?(settings: Settings<F>): Promise<P>
  /**
   * Begins a round. The returned function runs one variant, independent of the others.
   * @throws BenchError, from either function, when the machine lacks something or a publish failed
   */
  round(settings: Settings<F>, prepared: P): (variant: string) => Promise<Outcome>
}
