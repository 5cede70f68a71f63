import { parseJson } from '../core/body.ts'
import { ensure } from '../core/errors.ts'
import { SERVICE } from '../core/facts.ts'
import { hmacScheme } from '../core/hmacScheme.ts'
import type { JsonObject, TypesOf, UnlistedEventType } from './catalog.ts'
import { checkEnvelope, ISO_TIME, OBJECT, TEXT, UUID } from './envelope.ts'

/** The body of an event of the advertising platform. */
export interface ServiceEnvelope<Type extends string, Payload> {
  /** Identifier of the event, a UUID, and signed: skip duplicates by it. */
  readonly id: string
  readonly type: Type
  /** Kind of the entity concerned, such as `campaign`. */
  readonly entityType: string
  readonly entityId: string
  readonly workspaceId: string
  readonly payload: Payload
  /** Time of the event, ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string
}

/**
 * An event of a catalog. Compare `type` to narrow `payload`. The envelope is checked; the members of `payload` are typed by
 * the catalog and vouched for by the signature.
 */
export type ServiceEvent<Catalog, UnlistedPayload = JsonObject> =
  | { [Type in TypesOf<Catalog>]: ServiceEnvelope<Type, Catalog[Type]> }[TypesOf<Catalog>]
  | ServiceEnvelope<UnlistedEventType, UnlistedPayload>

/** A genuine webhook of the `service` scheme. */
export interface VerifiedServiceEvent<Event extends { readonly type: string }> {
  /** `event.id`, which is signed. Skip duplicates by it. */
  readonly id: string
  /** From the signed body. */
  readonly type: Event['type']
  /** `X-Service-Delivery`. Not signed: use it for logs. */
  readonly deliveryId: string
  readonly event: Event
}

/** A genuine request of the `service` scheme; its body may be anything. */
export interface VerifiedServiceMessage {
  /** `X-Service-Delivery`. Not signed: use it for logs, not to skip duplicates. */
  readonly deliveryId: string
  /** The raw body. */
  readonly body: Uint8Array
}

const RULES = {
  id: UUID,
  type: TEXT,
  entityType: TEXT,
  entityId: UUID,
  workspaceId: UUID,
  payload: OBJECT,
  occurredAt: ISO_TIME,
}

export const service = /* @__PURE__ */ hmacScheme(
  SERVICE,
  ({ delivery_id }) => ({ deliveryId: delivery_id! }),
  (body, values) => {
    const event = parseJson(body)
    checkEnvelope<ServiceEnvelope<string, JsonObject>>(event, RULES)
    const { id, type } = event
    checkSameType('X-Service-Event', type === values.event_type)
    return { id, type, event }
  },
)

/**
 * An attacker who has seen one genuine request could send its body again under a header that is not signed, and a handler that
 * goes by the header would treat a creation as a deletion.
 */
export function checkSameType(header: string, isSame: boolean): void {
  ensure(isSame, 'event_type_mismatch', `The header ${header} differs from the type in the signed body.`)
}
