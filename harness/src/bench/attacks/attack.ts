import type { Figure, Flags, Outcome, Settings } from '../frame/scenario.ts'
import type { Stage } from '../stage/stage.ts'

/** What an attack finds: a service on a stage. The others' webhooks are there, and their publisher starts afterwards. */
export interface AttackScene<F extends Flags = Flags> {
  readonly stage: Stage
  /** Of the service. */
  readonly url: string
  /** Single publishes a second of each of the others. */
  readonly rate: number
  /** The attack must stop after so long, even if the scenario does not end it. */
  readonly maxSeconds: number
  readonly flags: Settings<F>['flags']
}

/** An attack under way. */
export interface Attacker {
  /** Processes of its load: its publishers and receivers. All others go first where cores are short. */
  readonly pids: readonly number[]
  /** For what is done once, at the beginning of the window in which the others are measured. */
  strike?(): void
  /** Deliveries that have reached its receivers. */
  delivered(): Promise<number>
  /** Ends it, and waits a while for what was accepted of it. */
  finish(): Promise<Outcome>
}

/** What one tenant does while the others are measured: a variant of the scenario `share`. */
export interface Attack<F extends Flags = Flags> {
  /** Of the variant. */
  readonly name: string
  /** That it alone reads; no other attack may have flags or figures of the same name and another meaning. */
  readonly flags: F
  /** That it measures besides those of all variants. */
  readonly figures: Readonly<Record<string, Figure>>
  /** Prepares the attack and, unless it is a single {@link Attacker.strike}, begins it. */
  start(scene: AttackScene<F>): Promise<Attacker>
}
