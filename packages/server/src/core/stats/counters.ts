import { ATTEMPT_ERROR_CODES, type AttemptErrorCode } from '../delivery.ts'
import { bucketOf, FINE, type Scale, WIDE } from './histogram.ts'

/**
 * Each counter has a number, which is in the store: a number is never reused for anything else, and a new outcome gets the next
 * free number.
 */

/** All numbers of counters are below this. */
export const COUNTERS = 720

export type Outcome = 'delivered' | AttemptErrorCode

export const EVENTS_COUNTER = 0

const OUTCOME_COUNTERS: Readonly<Record<Outcome, number>> = {
  delivered: 1,
  dns_failed: 2,
  refused_target: 3,
  connect_failed: 4,
  connect_timeout: 5,
  tls_failed: 6,
  timeout: 7,
  reset: 8,
  protocol_error: 9,
  redirect: 10,
  http_status: 11,
}

export const OUTCOMES: readonly Outcome[] = ['delivered', ...ATTEMPT_ERROR_CODES]

/** First attempts of deliveries. */
export const FIRST_COUNTER = 50

/** How a delivery ended without success. `failed` includes those that a profile calls dead. */
export type EndedBadly = 'failed' | 'canceled'

const ENDED_COUNTERS: Readonly<Record<EndedBadly, number>> = { failed: 51, canceled: 52 }

/**
 * Deliveries that had ended and were started again. They count in the time in which they had ended, so that for any time, ended
 * less restarted is the present number.
 */
const RESTARTED_COUNTERS = { delivered: 53, atFirst: 54, failed: 55, canceled: 56 } as const

/** Start of the buckets for durations of attempts. */
export const RESPONSE_COUNTER = 512
/** Start of the buckets that release 0.1 used, on a wider scale. */
export const FORMER_RESPONSE_COUNTER = 100
/** Start of the buckets for times from the acceptance of an event to the end of a first attempt that succeeded. */
export const DELIVERY_COUNTER = 300

/** As text, since the hot path writes thousands of them. */
const text = (counter: number): string => `,${counter}`
const texts = (from: number, { buckets }: Scale): readonly string[] =>
  Array.from({ length: buckets }, (_, at) => text(from + at))
const OUTCOME_TEXTS = new Map(OUTCOMES.map((outcome) => [outcome, text(OUTCOME_COUNTERS[outcome])]))
const FIRST_TEXT = text(FIRST_COUNTER)
const RESPONSE_TEXTS = texts(RESPONSE_COUNTER, FINE)
const DELIVERY_TEXTS = texts(DELIVERY_COUNTER, WIDE)

export const counterOf = (outcome: Outcome): number => OUTCOME_COUNTERS[outcome]
export const endedCounterOf = (ended: EndedBadly): number => ENDED_COUNTERS[ended]
export const restartedCounterOf = (ended: keyof typeof RESTARTED_COUNTERS): number =>
  RESTARTED_COUNTERS[ended]

/** @returns the counter of a delivery that ended without success, after a comma */
export const endedText = (ended: EndedBadly): string => text(ENDED_COUNTERS[ended])

/** A delivery that had ended and is started again. */
export interface Restarted {
  readonly status: 'delivered' | 'failed' | 'dead' | 'canceled'
  /** Attempts that it had made. */
  readonly attempts: number
}

/** @returns the counters of a delivery that is started again, each after a comma */
export function restartedText({ status, attempts }: Restarted): string {
  const { delivered, atFirst, failed, canceled } = RESTARTED_COUNTERS
  if (status !== 'delivered') return text(status === 'canceled' ? canceled : failed)
  return attempts === 1 ? text(delivered) + text(atFirst) : text(delivered)
}

/** The counted properties of an attempt. */
export interface CountedAttempt {
  readonly number: number
  /** `null`: it succeeded. */
  readonly errorCode: AttemptErrorCode | null
  readonly startedAt: number
  readonly durationMs: number
}

/** @returns the counters of an attempt, each after a comma. @param acceptedAt Unix ms, of the event */
export function attemptText(
  { number, errorCode, startedAt, durationMs }: CountedAttempt,
  acceptedAt: number,
): string {
  const outcome = OUTCOME_TEXTS.get(errorCode ?? 'delivered')!
  const response = RESPONSE_TEXTS[bucketOf(FINE, durationMs)]!
  if (number > 1) return outcome + response
  if (errorCode !== null) return outcome + FIRST_TEXT + response
  return (
    outcome + FIRST_TEXT + response + DELIVERY_TEXTS[bucketOf(WIDE, startedAt + durationMs - acceptedAt)]!
  )
}
