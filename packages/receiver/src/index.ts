export type { RawBody, WebhookBodyStream } from './body.ts'
export {
  type ConfigurationErrorCode,
  ReceiverConfigurationError,
  type VerificationErrorCode,
  WebhookVerificationError,
} from './errors.ts'
export type {
  AdsEnvelope,
  AdsEvent,
  AdsEventPayload,
  AdsEventPayloadByType,
  AdsEventType,
  CampaignStatus,
  CampaignStatusChangedPayload,
} from './events/ads.ts'
export type {
  ContentEnvelope,
  ContentEvent,
  ContentEventData,
  ContentEventDataByType,
  ContentEventType,
  ContentGeneration,
  ContentLinks,
  PublicationPublishedData,
  ScheduleCancelRequiredData,
  VersionApprovedData,
} from './events/content.ts'
export type { UnlistedEventType } from './events/envelope.ts'
export type { HeaderValue, WebhookHeaders } from './headers.ts'
export type {
  CommonReceiverOptions,
  ReceiverOptions,
  ServiceReceiverOptions,
  StandardReceiverOptions,
} from './options.ts'
export type { VerifiedAdsEvent, VerifiedServiceMessage } from './protocols/service.ts'
export type { VerifiedContentEvent, VerifiedStandardMessage } from './protocols/standard.ts'
export {
  createReceiver,
  type Receiver,
  type ServiceReceiver,
  type StandardReceiver,
  type WebhookRequest,
} from './receiver.ts'
export type { SchemeName, SecretErrorCode } from './schemes.ts'
