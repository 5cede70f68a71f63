import { ReceiverConfigurationError } from './errors.ts'
import { decodeSecret, SchemeError, type SecretErrorCode, type SignatureScheme } from './schemes.ts'

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
   * Default: 24 for `standard`, 16 for `service`.
   */
  readonly minKeyBytes?: number | undefined
}

export interface StandardReceiverOptions extends CommonReceiverOptions {
  readonly scheme: 'standard'
  /** How far the timestamp may be from now, either way, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

/** This scheme signs no timestamp, so there is no tolerance to set and no clock to read. */
export interface ServiceReceiverOptions extends CommonReceiverOptions {
  readonly scheme: 'service'
  readonly toleranceSeconds?: undefined
  readonly now?: undefined
}

export type ReceiverOptions = StandardReceiverOptions | ServiceReceiverOptions

// Each secret costs one more hash of the whole body. A rotation needs two.
const MAX_SECRETS = 8
const DEFAULT_MAX_BODY_BYTES = 1_048_576
const DEFAULT_TOLERANCE_SECONDS = 300

// 128 bits: below that a key can be searched for, whatever the sender's rules were.
const LOWEST_MIN_KEY_BYTES = 16

/**
 * @throws {ReceiverConfigurationError} `secrets_missing`, `secrets_too_many`, `min_key_bytes_invalid` or a
 *   `SecretErrorCode`.
 */
export function readKeys(scheme: SignatureScheme, options: CommonReceiverOptions): Uint8Array[] {
  const minKeyBytes = options.minKeyBytes ?? scheme.secret.minKeyBytes
  const { maxKeyBytes } = scheme.secret
  if (!Number.isInteger(minKeyBytes) || minKeyBytes < LOWEST_MIN_KEY_BYTES || minKeyBytes > maxKeyBytes) {
    throw new ReceiverConfigurationError(
      'min_key_bytes_invalid',
      `minKeyBytes must be a whole number from ${LOWEST_MIN_KEY_BYTES} to ${maxKeyBytes}.`,
    )
  }
  const secrets: readonly unknown[] = Array.isArray(options.secrets) ? options.secrets : [options.secrets]
  checkSecretCount(secrets)
  return secrets.map((secret, index) => {
    const which = secrets.length === 1 ? '' : `Secret ${index + 1} of ${secrets.length}: `
    return readKey(scheme, secret as string, minKeyBytes, which)
  })
}

function checkSecretCount(secrets: readonly unknown[]): void {
  if (secrets.length === 0 || secrets[0] === undefined || secrets[0] === null) {
    throw new ReceiverConfigurationError(
      'secrets_missing',
      'No signing secret was given. Pass the one that was shown when the webhook was created.',
    )
  }
  if (secrets.length > MAX_SECRETS) {
    throw new ReceiverConfigurationError(
      'secrets_too_many',
      `${secrets.length} secrets were given; at most ${MAX_SECRETS} are tried. Remove those that no longer sign.`,
    )
  }
}

function readKey(scheme: SignatureScheme, secret: string, minKeyBytes: number, which: string): Uint8Array {
  try {
    return decodeSecret(scheme, secret, { minKeyBytes })
  } catch (cause) {
    if (!(cause instanceof SchemeError)) throw cause
    throw new ReceiverConfigurationError(cause.code as SecretErrorCode, which + cause.message, { cause })
  }
}

/** @throws {ReceiverConfigurationError} `max_body_bytes_invalid`. */
export function readMaxBodyBytes({ maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: CommonReceiverOptions): number {
  if (Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0) return maxBodyBytes
  throw new ReceiverConfigurationError(
    'max_body_bytes_invalid',
    'maxBodyBytes must be a whole number of bytes above 0.',
  )
}

/** @throws {ReceiverConfigurationError} `tolerance_invalid`. */
export function readToleranceMs({ toleranceSeconds }: ReceiverOptions): number {
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
export function readClock({ now = Date.now }: ReceiverOptions): () => number {
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
