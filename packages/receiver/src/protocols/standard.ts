import { type ContentEvent, parseContentEvent } from '../events/content.ts'
import { STANDARD } from '../profile/builtIn.ts'
import { FIELD_RULES } from '../profile/fields.ts'
import type { Facts, Protocol } from './protocol.ts'

/** A genuine, fresh request of the `standard` scheme; its body may be anything. */
export interface VerifiedStandardMessage {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** When this attempt was signed, to the second. The time of the event itself is in the body. */
  readonly timestamp: Date
  /** The raw body. */
  readonly body: Uint8Array
}

/** A genuine, fresh webhook of the content workflow service. */
export interface VerifiedContentEvent {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** When this attempt was signed, to the second. The time of the event is `event.timestamp`. */
  readonly timestamp: Date
  readonly event: ContentEvent
}

export const STANDARD_PROTOCOL: Protocol<VerifiedStandardMessage, VerifiedContentEvent> = {
  parts: STANDARD,
  rules: FIELD_RULES,
  toMessage: (facts, body) => ({ ...known(facts), body }),
  toVerified: (facts, body) => ({ ...known(facts), event: parseContentEvent(body) }),
}

/** Both are signed, so both are there. */
function known({ values, timestamp }: Facts) {
  return { id: values.get('id')!, timestamp: timestamp! }
}
