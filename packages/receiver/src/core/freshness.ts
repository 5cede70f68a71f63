import { ensure, ensureSetup } from './errors.ts'
import type { TimeOptions } from './options.ts'

/** @throws {WebhookVerificationError} `timestamp_too_old` or `timestamp_too_new`. */
export type CheckFreshness = (timestampMs: number) => void

/** @throws {ReceiverConfigurationError} `tolerance_invalid` or `clock_invalid`. */
export function createFreshnessCheck({
  toleranceSeconds = 300,
  now = Date.now,
}: TimeOptions): CheckFreshness {
  // Infinity would disable replay protection, and NaN would too, since every comparison with it is false.
  ensureSetup(
    Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0,
    'tolerance_invalid',
    'toleranceSeconds must be a finite number, 0 or more.',
  )
  checkClock(typeof now === 'function')
  return (timestampMs) => {
    const age = (now() - timestampMs) / 1000
    // A clock that yields NaN would let every timestamp pass.
    checkClock(Number.isFinite(age))
    const off = Math.abs(age)
    const isOld = age > 0
    const cause = isOld ? 'ahead, or it is a replay' : 'behind'
    ensure(
      off <= toleranceSeconds,
      `timestamp_too_${isOld ? 'old' : 'new'}`,
      `Off by ${off} s; ${toleranceSeconds} s are allowed. This clock is ${cause}.`,
    )
  }
}

/** @throws {ReceiverConfigurationError} `option_unsupported`. */
export function refuseTimeOptions({ toleranceSeconds, now }: TimeOptions): null {
  ensureSetup(
    toleranceSeconds === undefined && now === undefined,
    'option_unsupported',
    'Remove toleranceSeconds and now: these requests do not sign a timestamp.',
  )
  return null
}

const checkClock = (isRight: boolean) =>
  ensureSetup(isRight, 'clock_invalid', 'now must return milliseconds since 1970.')
