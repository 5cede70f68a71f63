import type { Client } from 'openapi-fetch'
import type { components, operations, paths } from '../generated/ads.ts'
import type { AnswerOf, BodyOf, QueryOf } from '../resources/operations.ts'

export type AdsPaths = paths
/** The name of an event type. */
export type AdsEventType = Schemas['EventType']
/** The low-level client of the advertising platform's API. */
export type AdsApi = Client<paths>

type Schemas = components['schemas']

/** An event to publish: its `type` determines the form of its `payload`. */
export type AdsEventToPublish = BodyOf<operations['publishAdsEvent']>
export type AdsPublished = AnswerOf<operations['publishAdsEvent'], 202>

export type AdsFeedEvent = Schemas['DomainEvent']
export type AdsFeedPage = AnswerOf<operations['listAdsEvents'], 200>
export type AdsFeedQuery = QueryOf<operations['listAdsEvents']>

export type AdsConsumer = Schemas['Consumer']
/** A consumer with the count of events that it has not acknowledged. */
export type AdsConsumerState = Schemas['ConsumerState']
export type AdsConsumerToCreate = BodyOf<operations['createAdsConsumer']>
export type AdsConsumerPage = AnswerOf<operations['listAdsConsumers'], 200>
export type AdsConsumerQuery = QueryOf<operations['listAdsConsumers']>
export type AdsSeek = BodyOf<operations['seekAdsConsumer']>
export type AdsReadQuery = QueryOf<operations['readAdsConsumer']>
export type AdsConsumedEvents = Schemas['ConsumedEvents']
export type AdsConsumedEvent = Schemas['ConsumedEvent']
/** Events that were removed before they were acknowledged. */
export type AdsGap = NonNullable<Schemas['ConsumedEvents']['gap']>

export type AdsWebhook = Schemas['Endpoint']
export type AdsWebhookWithSecret = Schemas['EndpointWithSecret']
export type AdsWebhookToCreate = BodyOf<operations['createAdsWebhook']>
export type AdsWebhookChanges = BodyOf<operations['updateAdsWebhook']>
export type AdsWebhookPage = AnswerOf<operations['listAdsWebhooks'], 200>
export type AdsWebhookQuery = QueryOf<operations['listAdsWebhooks']>

export type AdsDelivery = Schemas['EndpointDelivery']
export type AdsDeliveryWithRequests = Schemas['EndpointDeliveryWithRequests']
export type AdsDeliveryPage = AnswerOf<operations['listAdsDeliveries'], 200>
export type AdsDeliveryQuery = QueryOf<operations['listAdsDeliveries']>

/** Which dead deliveries to replay; `{}` means all. */
export type AdsReplayFilter = Omit<BodyOf<operations['replayAdsDeliveries']>, 'dryRun'>
export type AdsReplay = Schemas['Replay']
export type AdsReplayPreview = Schemas['ReplayPreview']

/** What {@link AdsRecovery} sends again: at least `since`, a time of RFC 3339. */
export type AdsRecoveryFilter = Omit<BodyOf<operations['recoverAdsWebhook']>, 'dryRun'>
export type AdsRecovery = Schemas['Recovery']
export type AdsRecoveryPreview = Schemas['RecoveryPreview']
export type AdsRetry = Schemas['Retry']

export type AdsAuditEntry = Schemas['AuditEntry']
export type AdsAuditPage = AnswerOf<operations['listAdsAuditLog'], 200>
export type AdsAuditQuery = QueryOf<operations['listAdsAuditLog']>

export type AdsOperationalWebhook = Schemas['OperationalWebhook']
export type AdsOperationalWebhookWithSecret = Schemas['OperationalWebhookWithSecret']
export type AdsOperationalToCreate = BodyOf<operations['createAdsOperationalWebhook']>
export type AdsOperationalChanges = BodyOf<operations['updateAdsOperationalWebhook']>
export type AdsOperationalDelivery = Schemas['OperationalDelivery']
export type AdsOperationalDeliveryPage = AnswerOf<operations['listAdsOperationalDeliveries'], 200>
export type AdsOperationalDeliveryQuery = QueryOf<operations['listAdsOperationalDeliveries']>
