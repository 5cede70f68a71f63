import type { StoreName } from '../stage/stores.ts'

/** A flag of one scenario. */
export type Flag =
  /** A whole number from 1, or from 0 where it says so. */
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

/** What the command line says, all defaults filled in. */
export interface Settings<F extends Flags = Flags> {
  readonly store: StoreName
  /** Receivers speak HTTPS. */
  readonly tls: boolean
  readonly quick: boolean
  readonly rounds: number
  /** Measured in each variant of each round; 0 where the time is not for the caller to choose. */
  readonly seconds: number
  /** The temporary data directories are made in here, those of PostgreSQL too. */
  readonly dataParent: string
  readonly flags: { readonly [N in keyof F]: ValueOf<F[N]> }
}

/** Numbers by the names of figures. One that is missing or NaN could not be measured. */
export type Figures = Readonly<Record<string, number>>

export interface Outcome {
  readonly figures: Figures
  /** Why the figures mean nothing: events that were lost, sent twice, refused. Empty for a sound run. */
  readonly complaints: readonly string[]
}

/** How a figure is written. */
export interface Figure {
  /** With its unit. */
  readonly heading: string
  readonly show: (value: number) => string
}

/** The figures of one round, by variant. */
export type RoundFigures = Readonly<Record<string, Figures>>

/** Computed within each round, since a shared machine is now quick, now slow; ratios between variants above all. */
interface DerivedFigure extends Figure {
  /** @param variants in the order in which the scenario names them, whatever they ran in */
  readonly of: (round: RoundFigures, variants: readonly string[]) => number
}

/** What the median over all rounds should be. It does not decide whether a run is sound. */
export interface Goal {
  /** Of a derived figure, or of a figure of {@link Goal.variant}. */
  readonly figure: string
  readonly variant?: string
  readonly atLeast?: number
  readonly atMost?: number
}

/** What all rounds share. */
export interface Prepared {
  /** Called once, after the last round. */
  close(): Promise<void>
}

/**
 * One thing to measure: `npm run bench -- <name> [flags]`. Its variants run in turn in each round, so that a machine that
 * slows down slows all of them; in every other round in reverse, so that none always has what another leaves behind.
 */
export interface Scenario<F extends Flags = Flags, P extends Prepared = Prepared> {
  readonly name: string
  /** One line for the help. */
  readonly summary: string
  readonly flags: F
  /** That it can run on; the first is the default. */
  readonly stores: readonly [StoreName, ...StoreName[]]
  /** Whether `--tls` means anything to it. */
  readonly tls: boolean
  /** Measured in each variant of each round, by default; `null` where the time is not for the caller to choose. */
  readonly seconds: { readonly usual: number; readonly quick: number } | null
  variants(settings: Settings<F>): readonly string[]
  /** Whether the report has a line for each variant: there are more of them than figures. */
  readonly variantsDown?: boolean
  readonly figures: Readonly<Record<string, Figure>>
  readonly derived: Readonly<Record<string, DerivedFigure>>
  /** The figure that the line of progress shows. */
  readonly headline: string
  goals(settings: Settings<F>): readonly Goal[]
  /** What a run without complaints shows, where deliveries are not what is checked. */
  readonly soundness?: string
  /** Makes what all rounds share, where making it for each would take too long. @throws BenchError, as `round` */
  prepare?(settings: Settings<F>): Promise<P>
  /**
   * Begins a round. What it returns runs one variant, whichever others have run.
   * @throws BenchError, by either, when the machine lacks something or a publish failed
   */
  round(settings: Settings<F>, prepared: P): (variant: string) => Promise<Outcome>
}
