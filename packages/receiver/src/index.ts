import { ensureSetup } from './core/errors.ts'
import type { CommonReceiverOptions, TimeOptions } from './core/options.ts'
import { type Receiver, receiverOf } from './core/receiver.ts'
import type { Scheme } from './core/scheme.ts'
import type { AdsEvent } from './events/ads.ts'
import type { ContentEvent } from './events/content.ts'
import {
  type ServiceEnvelope,
  service,
  type VerifiedServiceEvent,
  type VerifiedServiceMessage,
} from './events/service.ts'
import {
  type StandardEnvelope,
  standard,
  type VerifiedStandardEvent,
  type VerifiedStandardMessage,
} from './events/standard.ts'

export type { RawBody } from './core/body.ts'
export {
  type ConfigurationErrorCode,
  ReceiverConfigurationError,
  type VerificationErrorCode,
  WebhookVerificationError,
} from './core/errors.ts'
export type { HeaderValue, WebhookHeaders } from './core/headers.ts'
export type { CommonReceiverOptions, TimeOptions } from './core/options.ts'
export type { Receiver } from './core/receiver.ts'
export type { FetchRequest, NodeRequest, WebhookRequest } from './core/request.ts'
export type { Claim, Scheme, SchemeOptions } from './core/scheme.ts'
export type { SecretErrorCode } from './core/secrets.ts'
export type {
  AdsEvent,
  AdsEventPayload,
  AdsEventPayloadByType,
  CampaignStatus,
  CampaignStatusChangedPayload,
} from './events/ads.ts'
export type { JsonObject, UnlistedEventType } from './events/catalog.ts'
export type {
  ContentEvent,
  ContentEventData,
  ContentEventDataByType,
  ContentGeneration,
  ContentLinks,
  PublicationPublishedData,
  ScheduleCancelRequiredData,
  VersionApprovedData,
} from './events/content.ts'
export type {
  ServiceEnvelope,
  ServiceEvent,
  VerifiedServiceEvent,
  VerifiedServiceMessage,
} from './events/service.ts'
export type {
  StandardEnvelope,
  StandardEvent,
  VerifiedStandardEvent,
  VerifiedStandardMessage,
} from './events/standard.ts'
export type { SchemeName } from './schemes.ts'

/** @typeParam Event such as the type that `posthorn service types` prints; of the content workflow service if left out */
export type StandardReceiver<Event extends StandardEnvelope<string, unknown> = ContentEvent> = Receiver<
  VerifiedStandardEvent<Event>,
  VerifiedStandardMessage
>

/** @typeParam Event such as the type that `posthorn service types` prints; of the advertising platform if left out */
export type ServiceReceiver<Event extends ServiceEnvelope<string, unknown> = AdsEvent> = Receiver<
  VerifiedServiceEvent<Event>,
  VerifiedServiceMessage
>

export interface StandardReceiverOptions extends CommonReceiverOptions, TimeOptions {
  readonly scheme: 'standard'
}

/** This scheme signs no timestamp, so there is no tolerance to set and no clock to read. */
export interface ServiceReceiverOptions extends CommonReceiverOptions {
  readonly scheme: 'service'
  readonly toleranceSeconds?: undefined
  readonly now?: undefined
}

/** For a scheme of `@posthorn/receiver/profile` or `@posthorn/receiver/ed25519`. */
export interface SchemeReceiverOptions<Verified, Message> extends CommonReceiverOptions, TimeOptions {
  readonly scheme: Scheme<Verified, Message> & { readonly unsigned?: false }
}

/** For a service that does not sign its requests: nothing is verified, and anyone can forge them. */
export interface UnsignedReceiverOptions<Verified, Message> {
  readonly scheme: Scheme<Verified, Message> & { readonly unsigned: true }
  readonly maxBodyBytes?: number | undefined
  readonly secrets?: undefined
  readonly minKeyBytes?: undefined
  readonly toleranceSeconds?: undefined
  readonly now?: undefined
}

export type ReceiverOptions = StandardReceiverOptions | ServiceReceiverOptions

const BUILT_IN = { standard, service }

/**
 * A receiver of the webhooks of one endpoint. Make it once and keep it.
 *
 * @throws {ReceiverConfigurationError} for a secret, a scheme or an option that cannot work.
 */
export function createReceiver<Event extends StandardEnvelope<string, unknown> = ContentEvent>(
  options: StandardReceiverOptions,
): StandardReceiver<Event>
export function createReceiver<Event extends ServiceEnvelope<string, unknown> = AdsEvent>(
  options: ServiceReceiverOptions,
): ServiceReceiver<Event>
export function createReceiver<Verified, Message>(
  options: SchemeReceiverOptions<Verified, Message> | UnsignedReceiverOptions<Verified, Message>,
): Receiver<Verified, Message>
export function createReceiver(options: ReceiverOptions): StandardReceiver | ServiceReceiver
export function createReceiver(
  options:
    | ReceiverOptions
    | SchemeReceiverOptions<unknown, unknown>
    | UnsignedReceiverOptions<unknown, unknown>,
): Receiver<unknown, unknown> {
  const { scheme } = options
  const found = BUILT_IN[scheme as keyof typeof BUILT_IN] ?? scheme
  ensureSetup(
    (found as Partial<Scheme<unknown, unknown>> | undefined)?.open,
    'scheme_unknown',
    'Use scheme "standard" or "service".',
  )
  return receiverOf(found as Scheme<unknown, unknown>, options)
}
