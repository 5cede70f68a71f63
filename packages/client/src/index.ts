export { type AdminClient, type AdminClientOptions, createAdminClient } from './admin/client.ts'
export type {
  AdminApi,
  AdminAuditEntry,
  AdminAuditPage,
  AdminAuditQuery,
  Key,
  KeyPage,
  KeyQuery,
  KeyToCreate,
  KeyWithSecret,
  Member,
  MemberChanges,
  MemberPage,
  MemberQuery,
  MemberToCreate,
  SessionToCreate,
  SessionWithToken,
  Workspace,
  WorkspacePage,
  WorkspaceQuery,
  WorkspaceToCreate,
} from './admin/types.ts'
export { type AdsClient, type AdsClientOptions, createAdsClient } from './ads/client.ts'
export type { WatchOptions } from './ads/replays.ts'
export type {
  AdsApi,
  AdsAuditEntry,
  AdsAuditPage,
  AdsAuditQuery,
  AdsDelivery,
  AdsDeliveryPage,
  AdsDeliveryQuery,
  AdsDeliveryWithRequests,
  AdsEventToPublish,
  AdsFeedEvent,
  AdsFeedPage,
  AdsFeedQuery,
  AdsPublished,
  AdsReplay,
  AdsReplayFilter,
  AdsReplayPreview,
  AdsWebhook,
  AdsWebhookChanges,
  AdsWebhookPage,
  AdsWebhookQuery,
  AdsWebhookToCreate,
  AdsWebhookWithSecret,
} from './ads/types.ts'
export { unwrap } from './connection/answer.ts'
export type { ConnectionOptions, Fetch, Sleep } from './connection/settings.ts'
export { type ContentClient, type ContentClientOptions, createContentClient } from './content/client.ts'
export type {
  ContentApi,
  ContentAuditEntry,
  ContentAuditPage,
  ContentAuditQuery,
  ContentDelivery,
  ContentDeliveryPage,
  ContentDeliveryQuery,
  ContentDeliveryWithRequests,
  ContentEventToPublish,
  ContentFeedEvent,
  ContentFeedPage,
  ContentFeedQuery,
  ContentPublished,
  ContentSample,
  ContentWebhook,
  ContentWebhookChanges,
  ContentWebhookPage,
  ContentWebhookQuery,
  ContentWebhookToCreate,
  ContentWebhookWithSecret,
} from './content/types.ts'
export {
  type InputMistake,
  PosthornConnectionError,
  PosthornError,
  type PosthornErrorCode,
  PosthornTimeoutError,
  type UnlistedErrorCode,
} from './errors.ts'
export type { ProblemCode } from './generated/problemCodes.ts'
export type { ChangeOptions, PostOptions, RequestOptions } from './resources/operations.ts'
