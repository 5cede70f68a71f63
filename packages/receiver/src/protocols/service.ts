import { type AdsEvent, type AdsEventType, parseAdsEvent } from '../events/ads.ts'
import { isUuid } from '../events/envelope.ts'
import { ADS } from '../profile/builtIn.ts'
import { FIELD_RULES } from '../profile/fields.ts'
import { typeMismatch } from './mismatch.ts'
import type { Facts, Protocol } from './protocol.ts'

/** A genuine request of the `service` scheme; its body may be anything. */
export interface VerifiedServiceMessage {
  /** `X-Service-Delivery`. Not signed: use it for logs, not to skip duplicates. */
  readonly deliveryId: string
  /** The raw body. */
  readonly body: Uint8Array
}

/** A genuine webhook of the advertising platform service. */
export interface VerifiedAdsEvent {
  /** `X-Service-Delivery`. Not signed: use it for logs, and `event.id` to skip duplicates. */
  readonly deliveryId: string
  /** The event type, from the signed body. */
  readonly type: AdsEventType
  readonly event: AdsEvent
}

export const SERVICE_PROTOCOL: Protocol<VerifiedServiceMessage, VerifiedAdsEvent> = {
  parts: ADS,
  rules: {
    ...FIELD_RULES,
    // Compared with the type in the signed body, which says more than its form would.
    type: { ...FIELD_RULES.type, accepts: () => true },
    delivery_id: { ...FIELD_RULES.delivery_id, accepts: isUuid, shape: 'be a UUID' },
  },
  toMessage: ({ values }, body) => ({ deliveryId: values.get('delivery_id')!, body }),
  toVerified,
}

function toVerified({ values }: Facts, body: Uint8Array): VerifiedAdsEvent {
  const event = parseAdsEvent(body)
  if (event.type !== values.get('type')) throw typeMismatch('X-Service-Event')
  return { deliveryId: values.get('delivery_id')!, type: event.type, event }
}
