import type { Behavior } from '../../receivers/behavior.ts'
import type { Identity } from '../../receivers/certificate.ts'
import type { Spread } from '../measure/latencies.ts'
import type { Progress } from './progress.ts'

/**
 * Groups are distinguished by the first segment of the path. All answer 204 at once until a `behave` message
 * changes that.
 */
export interface MeasuringReceiverStart {
  /** `null`: it uses plain HTTP. */
  readonly identity: Identity | null
  /** File for the ids of events answered with 2xx; `null`: none. */
  readonly idsFile: string | null
  /** The header that contains the ids. */
  readonly idHeader: string
}

export type ToMeasuringReceiver =
  /** Sets how a group answers. Of `flaky`, only the first answer is used, since events are not remembered. */
  | { readonly kind: 'behave'; readonly group: string; readonly behavior: Behavior }
  /** Latencies are counted of events that were due from here on, and the most in flight from now on. */
  | { readonly kind: 'begin' }
  /** Tells of its progress from now on, counted from now in requests that were answered with 2xx. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'report' }
  | { readonly kind: 'finish' }

export interface Received {
  /** Requests since the start, whatever their answer. */
  readonly requests: number
  /** Requests since the start by group, of those answered with 2xx; a group without any is missing. */
  readonly accepted: Readonly<Record<string, number>>
  /** From due to received, by group, since `begin`, of requests answered with 2xx. */
  readonly latencies: Readonly<Record<string, Spread>>
  /** Highest number of unanswered requests, by group, since `begin`. */
  readonly mostInFlight: Readonly<Record<string, number>>
}

export type FromMeasuringReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | ({ readonly kind: 'report' } & Received)
  | Progress
  | { readonly kind: 'finished' }

export const MEASURING_RECEIVER = new URL('./measuringReceiverProgram.ts', import.meta.url)
