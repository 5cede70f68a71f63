import { ReceiverConfigurationError, WebhookVerificationError } from '../errors.ts'
import { type AdsEvent, type AdsEventType, parseAdsEvent } from '../events/ads.ts'
import { isUuid } from '../events/envelope.ts'
import { readHeaders, type WebhookHeaders } from '../headers.ts'
import type { ReceiverOptions } from '../options.ts'
import { SCHEMES, signedContentPrefix } from '../schemes.ts'
import type { Claim, Protocol } from './protocol.ts'

interface ServiceFacts {
  readonly deliveryId: string
  readonly type: string
}

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

const SCHEME = SCHEMES.service

export function createServiceProtocol(
  options: ReceiverOptions,
): Protocol<ServiceFacts, VerifiedServiceMessage, VerifiedAdsEvent> {
  if (options.toleranceSeconds !== undefined || options.now !== undefined) {
    throw new ReceiverConfigurationError(
      'option_unsupported',
      'The service scheme signs no timestamp, so toleranceSeconds and now would protect nothing. Remove them, and refuse replays by event.id.',
    )
  }
  return {
    scheme: SCHEME,
    readClaim,
    toMessage: ({ deliveryId }, body) => ({ deliveryId, body }),
    toVerified,
  }
}

function readClaim(headers: WebhookHeaders): Claim<ServiceFacts> {
  const values = readHeaders(headers, SCHEME.headers)
  const { event: type, delivery: deliveryId, signature } = values
  if (signature === undefined) {
    throw new WebhookVerificationError(
      'signature_missing',
      `The header ${SCHEME.headers.signature} is missing: the request is not signed.`,
    )
  }
  if (type === undefined) {
    throw new WebhookVerificationError('event_type_missing', `The header ${SCHEME.headers.event} is missing.`)
  }
  if (deliveryId === undefined) {
    throw new WebhookVerificationError(
      'delivery_id_missing',
      `The header ${SCHEME.headers.delivery} is missing.`,
    )
  }
  if (!isUuid(deliveryId)) {
    throw new WebhookVerificationError(
      'delivery_id_malformed',
      `The header ${SCHEME.headers.delivery} must be a UUID.`,
    )
  }
  // The scheme signs none of the fields, so their values do not matter here.
  return {
    facts: { deliveryId, type },
    signature,
    prefix: signedContentPrefix(SCHEME, { id: '', timestampSeconds: 0 }),
  }
}

/**
 * The signature covers the body alone. Whoever has seen one genuine request could send its body again under another
 * X-Service-Event, and a handler that goes by the header would treat a creation as a deletion.
 */
function toVerified({ deliveryId, type }: ServiceFacts, body: Uint8Array): VerifiedAdsEvent {
  const event = parseAdsEvent(body)
  if (event.type === type) return { deliveryId, type: event.type, event }
  throw new WebhookVerificationError(
    'event_type_mismatch',
    `The header ${SCHEME.headers.event} differs from the type in the signed body. The header is not signed, so it was changed on its way.`,
  )
}
