import { ensureSetup } from './errors.ts'

export interface CommonReceiverOptions {
  /**
   * The signing secret as it was shown at creation; during a rotation the new and the old one. At most 8. A request
   * passes if any of them signed it. Where a scheme signs with Ed25519: public keys, `whpk_…`.
   */
  readonly secrets: string | readonly string[]
  /** Larger bodies are rejected. Default: 1,048,576 bytes (1 MiB). */
  readonly maxBodyBytes?: number | undefined
  /**
   * Shortest HMAC key that is accepted, in bytes, for secrets that another sender made by its own rules. At least 16.
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

/** @throws {ReceiverConfigurationError} `max_body_bytes_invalid`. */
export function readMaxBodyBytes({
  maxBodyBytes = 1_048_576,
}: Pick<CommonReceiverOptions, 'maxBodyBytes'>): number {
  const isCount = Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0
  ensureSetup(isCount, 'max_body_bytes_invalid', 'maxBodyBytes must be a whole number above 0.')
  return maxBodyBytes
}
