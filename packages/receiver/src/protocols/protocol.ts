import type { FieldRules } from '../profile/fields.ts'
import type { Field, RequestParts } from '../profile/parts.ts'

/** What the headers of a genuine request say. */
export interface Facts {
  readonly values: ReadonlyMap<Field, string>
  /** `null`: no time is signed. */
  readonly timestamp: Date | null
}

/** What makes the requests of one kind of receiver. The receiver does the rest and knows none of them. */
export interface Protocol<Message, Verified> {
  readonly parts: RequestParts
  readonly rules: FieldRules
  toMessage(facts: Facts, body: Uint8Array): Message
  /** @throws {WebhookVerificationError} for a body that is not the envelope. */
  toVerified(facts: Facts, body: Uint8Array): Verified
}
