import { ReceiverConfigurationError, WebhookVerificationError } from './errors.ts'
import { readClock, readToleranceMs, type TimeOptions } from './options.ts'

/** @throws {WebhookVerificationError} `timestamp_too_old` or `timestamp_too_new`. */
export type CheckFreshness = (timestampMs: number) => void

/** @throws {ReceiverConfigurationError} `tolerance_invalid` or `clock_invalid`; `option_unsupported` where no time is signed. */
export function createFreshnessCheck(options: TimeOptions, signsTime: boolean): CheckFreshness {
  if (signsTime) {
    const toleranceMs = readToleranceMs(options)
    const now = readClock(options)
    return (timestampMs) => checkAge(now() - timestampMs, toleranceMs)
  }
  if (options.toleranceSeconds === undefined && options.now === undefined) return () => {}
  throw new ReceiverConfigurationError(
    'option_unsupported',
    'These requests sign no timestamp, so toleranceSeconds and now would protect nothing. Remove them, and refuse replays by the id of the event.',
  )
}

function checkAge(ageMs: number, toleranceMs: number): void {
  if (ageMs > toleranceMs) {
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The request was signed ${ageMs / 1000} s ago; at most ${toleranceMs / 1000} s are tolerated. It may be a replay, or this clock is fast.`,
    )
  }
  if (-ageMs > toleranceMs) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The request was signed ${-ageMs / 1000} s in the future; at most ${toleranceMs / 1000} s are tolerated. Is this clock slow?`,
    )
  }
}
