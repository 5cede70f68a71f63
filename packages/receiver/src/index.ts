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
export type { JsonObject, UnlistedEventType } from './events/envelope.ts'
export type { ProfileEvent } from './events/profile.ts'
export type { HeaderValue, WebhookHeaders } from './headers.ts'
export type {
  CommonReceiverOptions,
  ProfileReceiverOptions,
  ReceiverOptions,
  ServiceReceiverOptions,
  SignedProfileReceiverOptions,
  StandardReceiverOptions,
  TimeOptions,
  UnsignedProfileReceiverOptions,
} from './options.ts'
export type { ProfileDocument, ProfileEnvelopeMember, ProfileSignature } from './profile/document.ts'
export type { VerifiedProfileEvent, VerifiedProfileMessage } from './protocols/profile.ts'
export type { VerifiedAdsEvent, VerifiedServiceMessage } from './protocols/service.ts'
export type { VerifiedContentEvent, VerifiedStandardMessage } from './protocols/standard.ts'
export {
  createReceiver,
  type ProfileReceiver,
  type Receiver,
  type ServiceReceiver,
  type StandardReceiver,
  type WebhookRequest,
} from './receiver.ts'
export type { SchemeName, SecretErrorCode } from './schemes.ts'
