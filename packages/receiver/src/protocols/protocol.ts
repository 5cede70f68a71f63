import type { WebhookHeaders } from '../headers.ts'
import type { SignatureScheme } from '../schemes.ts'

/** What a request's headers say, before any of it is known to be true. */
export interface Claim<Facts> {
  readonly facts: Facts
  /** The signature header as it came. */
  readonly signature: string
  /** Signed ahead of the raw body. */
  readonly prefix: string
}

/** How one scheme reads headers and opens a body. The receiver does the rest and knows no scheme. */
export interface Protocol<Facts, Message, Verified> {
  readonly scheme: SignatureScheme
  /** @throws {WebhookVerificationError} for headers that are missing, malformed or out of date. */
  readClaim(headers: WebhookHeaders): Claim<Facts>
  toMessage(facts: Facts, body: Uint8Array): Message
  /** @throws {WebhookVerificationError} for a body that is not the scheme's envelope. */
  toVerified(facts: Facts, body: Uint8Array): Verified
}
