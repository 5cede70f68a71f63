import { ReceiverConfigurationError } from './errors.ts'
import type { ProfileDocument } from './profile/document.ts'

export interface CommonReceiverOptions {
  /**
   * The signing secret as it was shown at creation; during a rotation the new and the old one. At most 8. A request
   * passes if any of them signed it.
   */
  readonly secrets: string | readonly string[]
  /** Bodies above this many bytes are refused. Default: 1,048,576 (1 MiB). */
  readonly maxBodyBytes?: number | undefined
  /**
   * Shortest HMAC key taken, in bytes, for secrets that another sender made by its own rules. At least 16.
   * Default: 24 for secrets in base64 or hex, 16 for those whose text is the key (`service`).
   */
  readonly minKeyBytes?: number | undefined
}

/** Only where a timestamp is signed. */
export interface TimeOptions {
  /** How far the timestamp may be from now, either way, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

export interface StandardReceiverOptions extends CommonReceiverOptions, TimeOptions {
  readonly scheme: 'standard'
}

/** This scheme signs no timestamp, so there is no tolerance to set and no clock to read. */
export interface ServiceReceiverOptions extends CommonReceiverOptions {
  readonly scheme: 'service'
  readonly toleranceSeconds?: undefined
  readonly now?: undefined
}

export type ReceiverOptions = StandardReceiverOptions | ServiceReceiverOptions

/** For requests of any service. */
export interface SignedProfileReceiverOptions extends CommonReceiverOptions, TimeOptions {
  /** The JSON document of the service, as its operator writes it. */
  readonly profile: ProfileDocument
  /**
   * Signing secrets, and public keys (`whpk_…`) where the profile signs with Ed25519. At most 8. A request passes if it
   * has a signature, of any kind that there is a key for, by any of them.
   */
  readonly secrets: string | readonly string[]
  readonly scheme?: undefined
  readonly acceptUnsigned?: undefined
}

/** For a service that does not sign its requests: nothing is verified, and anybody can forge them. */
export interface UnsignedProfileReceiverOptions {
  readonly profile: ProfileDocument
  /** Says that forged requests are acceptable. */
  readonly acceptUnsigned: true
  readonly maxBodyBytes?: number | undefined
  readonly scheme?: undefined
  readonly secrets?: undefined
  readonly minKeyBytes?: undefined
  readonly toleranceSeconds?: undefined
  readonly now?: undefined
}

export type ProfileReceiverOptions = SignedProfileReceiverOptions | UnsignedProfileReceiverOptions

const DEFAULT_MAX_BODY_BYTES = 1_048_576
const DEFAULT_TOLERANCE_SECONDS = 300

/** @throws {ReceiverConfigurationError} `max_body_bytes_invalid`. */
export function readMaxBodyBytes({
  maxBodyBytes = DEFAULT_MAX_BODY_BYTES,
}: {
  readonly maxBodyBytes?: number | undefined
}): number {
  if (Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0) return maxBodyBytes
  throw new ReceiverConfigurationError(
    'max_body_bytes_invalid',
    'maxBodyBytes must be a whole number of bytes above 0.',
  )
}

/** @throws {ReceiverConfigurationError} `tolerance_invalid`. */
export function readToleranceMs({ toleranceSeconds }: TimeOptions): number {
  const seconds: number = toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS
  // Infinity would switch replay protection off, and NaN would too, since every comparison with it is false.
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  throw new ReceiverConfigurationError(
    'tolerance_invalid',
    'toleranceSeconds must be a finite number of seconds, 0 or more.',
  )
}

/**
 * A clock whose every reading is checked: one that yields NaN would let every timestamp pass.
 *
 * @throws {ReceiverConfigurationError} `clock_invalid`, here and from the clock.
 */
export function readClock({ now = Date.now }: TimeOptions): () => number {
  if (typeof now !== 'function') throw clockError()
  return () => {
    const nowMs = now()
    if (!Number.isFinite(nowMs)) throw clockError()
    return nowMs
  }
}

function clockError(): ReceiverConfigurationError {
  return new ReceiverConfigurationError(
    'clock_invalid',
    'now must be a function that returns the current time in milliseconds since 1970.',
  )
}
