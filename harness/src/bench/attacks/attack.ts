import type { Flags, Metric, Outcome, Settings } from '../frame/scenario.ts'
import type { Stage } from '../stage/stage.ts'

/**
 * The setup of an attack: a service on a stage, with the webhooks of the other tenants. Their publisher
 * starts afterwards.
 */
export interface AttackScene<F extends Flags = Flags> {
  readonly stage: Stage
  /** Of the service. */
  readonly url: string
  /** Single publishes per second of each other tenant. */
  readonly rate: number
  /** The attack must stop after this time, even if the scenario does not end it. */
  readonly maxSeconds: number
  readonly flags: Settings<F>['flags']
}

/** A running attack. */
export interface Attacker {
  /**
   * Processes of its load: its publishers and receivers. All others take precedence where cores are scarce.
   */
  readonly pids: readonly number[]
  /** Runs once, at the start of the window in which the other tenants are measured. */
  strike?(): void
  /** Deliveries that have reached its receivers. */
  delivered(): Promise<number>
  /** Ends it, and waits a limited time for the accepted events to arrive. */
  finish(): Promise<Outcome>
}

/** What one tenant does while the others are measured: a variant of the scenario `share`. */
export interface Attack<F extends Flags = Flags> {
  readonly name: string
  /**
   * Only this attack reads them. No other attack may use the same flag or metric name with another meaning.
   */
  readonly flags: F
  /** Measured in addition to those of all variants. */
  readonly metrics: Readonly<Record<string, Metric>>
  /** Prepares the attack and, unless it is a single {@link Attacker.strike}, starts it. */
  start(scene: AttackScene<F>): Promise<Attacker>
}
