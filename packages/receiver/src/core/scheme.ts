import type { WebhookHeaders } from './headers.ts'
import type { CommonReceiverOptions, TimeOptions } from './options.ts'

/** What a request says in its headers, before its body is looked at. */
export interface Claim<Verified, Message> {
  /**
   * Copies the body before the first await.
   *
   * @returns the verified body
   * @throws {WebhookVerificationError} `signature_mismatch`.
   */
  verify(body: Uint8Array): Promise<Uint8Array>
  /** @throws {WebhookVerificationError} for a body that is not the envelope. */
  toVerified(body: Uint8Array): Verified
  toMessage(body: Uint8Array): Message
}

/** What is set up once for all requests of a receiver. */
export type SchemeOptions = Omit<CommonReceiverOptions, 'secrets'> &
  TimeOptions & { readonly secrets?: unknown }

/**
 * How the requests of a service are signed and what their bodies look like. Two are built into the core; `./profile` and
 * `./ed25519` make others.
 */
export interface Scheme<Verified, Message> {
  /**
   * @returns reads the headers of a request; throws a `WebhookVerificationError` for headers that no genuine request has
   * @throws {ReceiverConfigurationError} for options that cannot work.
   */
  open(options: SchemeOptions): (headers: WebhookHeaders) => Claim<Verified, Message>
}
