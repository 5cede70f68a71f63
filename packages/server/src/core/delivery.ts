import type { Fault } from './cause.ts'

/** States of a delivery; `docs/state-machine.md` shows the transitions. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'dead', 'canceled'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** Why a delivery was canceled: its webhook was disabled or deleted, or it was still pending after the retention. */
export const CANCEL_REASONS = ['webhook_off', 'expired'] as const
export type CancelReason = (typeof CANCEL_REASONS)[number]

/**
 * What triggered an attempt. The first attempt of a run has the trigger of the run. Later ones have `schedule`, or `retry` if a
 * person or a service asked for the attempt before it was due.
 */
export const TRIGGERS = ['schedule', 'retry', 'redeliver', 'replay', 'recover', 'test'] as const
export type Trigger = (typeof TRIGGERS)[number]
/** What begins a run of attempts. */
export type RunTrigger = Exclude<Trigger, 'retry'>

/** Why an attempt failed; stable names that people filter and alert on. */
export const ATTEMPT_ERROR_CODES = [
  'dns_failed',
  'refused_target',
  'connect_failed',
  'connect_timeout',
  'tls_failed',
  'timeout',
  'reset',
  'protocol_error',
  'redirect',
  'http_status',
] as const
export type AttemptErrorCode = (typeof ATTEMPT_ERROR_CODES)[number]

/** At most this much of a response's body is read and kept. */
export const RESPONSE_BODY_LIMIT_BYTES = 2048

/** The result of one request to a receiver. */
export interface AttemptOutcome {
  /** `null` exactly when the attempt succeeded. */
  readonly error: { readonly code: AttemptErrorCode; readonly fault: Fault; readonly message: string } | null
  /** `null` when no status line arrived. */
  readonly statusCode: number | null
  readonly contentType: string | null
  /** Up to 2 KB, as received; `null` when there was none. Not necessarily text. */
  readonly body: Uint8Array | null
  /** The response's `Retry-After`, unparsed. */
  readonly retryAfter: string | null
  /** Whether a new connection was made for it. */
  readonly newConnection: boolean
}

/** The position of a delivery in its run of attempts. */
export interface Progress {
  /** Attempts recorded over the whole life of the delivery. */
  readonly attempts: number
  /** What started the present run. A test stays a test, however often it is sent. */
  readonly trigger: RunTrigger
  /** Value of `attempts` when the present run started. */
  readonly runStart: number
  /** The number of the latest attempt that was requested before it was due; `null`: none. */
  readonly retryNumber: number | null
}

/** The trigger of the next attempt. */
export function nextTrigger({ attempts, trigger, runStart, retryNumber }: Progress): Trigger {
  if (trigger === 'test') return 'test'
  if (retryNumber === attempts + 1) return 'retry'
  return attempts === runStart ? trigger : 'schedule'
}
