import type { Behaviour } from '../../receivers/behaviour.ts'
import type { Identity } from '../../receivers/certificate.ts'
import type { Spread } from '../measure/latencies.ts'
import type { Progress } from './progress.ts'

/** Groups are told apart by the first segment of the path. All answer 204 at once until they are told otherwise. */
export interface MeasuringReceiverStart {
  /** `null`: it speaks plain HTTP. */
  readonly identity: Identity | null
  /** Where the ids go of what was answered with 2xx; `null`: nowhere. */
  readonly idsFile: string | null
  /** The header that holds them. */
  readonly idHeader: string
}

export type ToMeasuringReceiver =
  /** From now on a group answers like this; nothing of `flaky` but its first answer, since events are not remembered. */
  | { readonly kind: 'behave'; readonly group: string; readonly behaviour: Behaviour }
  /** Latencies are counted of events that were due from here on, and the most in flight from now on. */
  | { readonly kind: 'begin' }
  /** Tells of its progress from now on, counted from now in requests that were answered with 2xx. */
  | { readonly kind: 'progress' }
  | { readonly kind: 'report' }
  | { readonly kind: 'finish' }

export interface Received {
  /** Requests since the start, however they were answered. */
  readonly requests: number
  /** Of them, since the start and by group, those answered with 2xx; a group that had none is missing. */
  readonly accepted: Readonly<Record<string, number>>
  /** From due to received, by group, since `begin`, of those answered with 2xx. */
  readonly latencies: Readonly<Record<string, Spread>>
  /** Of requests that were not answered yet, at most, by group, since `begin`. */
  readonly mostInFlight: Readonly<Record<string, number>>
}

export type FromMeasuringReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'done' }
  | ({ readonly kind: 'report' } & Received)
  | Progress
  | { readonly kind: 'finished' }

export const MEASURING_RECEIVER = new URL('./measuringReceiverProgram.ts', import.meta.url)
