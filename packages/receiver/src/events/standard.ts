import { parseJson } from '../core/body.ts'
import { STANDARD } from '../core/facts.ts'
import { hmacScheme } from '../core/hmacScheme.ts'
import type { JsonObject, TypesOf, UnlistedEventType } from './catalog.ts'
import { checkEnvelope, ISO_TIME, OBJECT, TEXT } from './envelope.ts'

/** The body of an event, as Standard Webhooks recommends it. */
export interface StandardEnvelope<Type extends string, Data> {
  readonly type: Type
  /** Time of the event, ISO 8601 UTC with milliseconds. Order events by it; they can arrive out of order. */
  readonly timestamp: string
  readonly data: Data
}

/**
 * An event of a catalog. Compare `type` to narrow `data`. The envelope is checked; the members of `data` are typed by the
 * catalog and vouched for by the signature.
 */
export type StandardEvent<Catalog, UnlistedData = JsonObject> =
  | { [Type in TypesOf<Catalog>]: StandardEnvelope<Type, Catalog[Type]> }[TypesOf<Catalog>]
  | StandardEnvelope<UnlistedEventType, UnlistedData>

/** A genuine, fresh webhook of the `standard` scheme. */
export interface VerifiedStandardEvent<Event extends { readonly type: string }> {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** From the signed body. */
  readonly type: Event['type']
  /** When this attempt was signed, to the second. The time of the event is `event.timestamp`. */
  readonly timestamp: Date
  readonly event: Event
}

/** A genuine, fresh request of the `standard` scheme; its body may be anything. */
export interface VerifiedStandardMessage {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** When this attempt was signed, to the second. */
  readonly timestamp: Date
  /** The raw body. */
  readonly body: Uint8Array
}

const RULES = { type: TEXT, timestamp: ISO_TIME, data: OBJECT }

export const standard = /* @__PURE__ */ hmacScheme(
  STANDARD,
  ({ id, timestamp }) => ({ id: id!, timestamp: new Date(Number(timestamp) * 1000) }),
  parseStandardEvent,
)

/** @throws {WebhookVerificationError} `body_not_utf8`, `body_not_json` or `envelope_invalid`. */
export function parseStandardEvent(body: Uint8Array) {
  const event = parseJson(body)
  checkEnvelope<StandardEnvelope<string, JsonObject>>(event, RULES)
  return { type: event.type, event }
}
