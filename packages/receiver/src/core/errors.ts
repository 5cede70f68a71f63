import type { SecretErrorCode } from './secrets.ts'

/** Why a request was rejected. Stable: messages may be reworded, codes are not. */
export type VerificationErrorCode =
  | 'headers_invalid'
  | 'header_missing'
  | 'header_malformed'
  | 'header_ambiguous'
  | 'id_missing'
  | 'id_malformed'
  | 'id_mismatch'
  | 'timestamp_missing'
  | 'timestamp_malformed'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_missing'
  | 'signature_too_long'
  | 'signature_too_many_entries'
  | 'signature_malformed'
  | 'signature_unsupported'
  | 'signature_mismatch'
  | 'event_type_missing'
  | 'event_type_malformed'
  | 'event_type_mismatch'
  | 'delivery_id_missing'
  | 'delivery_id_malformed'
  | 'body_not_raw'
  | 'body_unreadable'
  | 'body_too_large'
  | 'body_not_utf8'
  | 'body_not_json'
  | 'envelope_invalid'

class CodedError<Code extends string> extends Error {
  readonly code: Code

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** The request is not a genuine, fresh webhook. Answer it with a 4xx status and do not act on it. */
export class WebhookVerificationError extends CodedError<VerificationErrorCode> {
  override readonly name = 'WebhookVerificationError'
}

/** Why the receiver itself cannot work, whatever is sent to it. */
export type ConfigurationErrorCode =
  | SecretErrorCode
  | 'scheme_unknown'
  | 'profile_invalid'
  | 'profile_not_verifiable'
  | 'profile_unsigned'
  | 'secrets_missing'
  | 'secrets_too_many'
  | 'tolerance_invalid'
  | 'clock_invalid'
  | 'min_key_bytes_invalid'
  | 'max_body_bytes_invalid'
  | 'option_unsupported'
  | 'option_invalid'
  | 'event_has_no_id'
  | 'event_has_no_version'
  | 'web_crypto_unavailable'

/**
 * The receiver is set up wrongly. Thrown when it is created; `clock_invalid` also when `now` returns something
 * other than a number of milliseconds.
 */
export class ReceiverConfigurationError extends CodedError<ConfigurationErrorCode> {
  override readonly name = 'ReceiverConfigurationError'
  /** JSON Pointer (RFC 6901) to what is wrong in the profile; `null`: the profile is not at fault. */
  readonly pointer: string | null = null
}

/** @throws {WebhookVerificationError} unless it holds. */
export function ensure(
  holds: unknown,
  code: VerificationErrorCode,
  message: string,
  cause?: unknown,
): asserts holds {
  if (!holds) throw new WebhookVerificationError(code, message, { cause })
}

/** @throws {ReceiverConfigurationError} unless it holds. */
export function ensureSetup(holds: unknown, code: ConfigurationErrorCode, message: string): asserts holds {
  if (!holds) throw new ReceiverConfigurationError(code, message)
}
