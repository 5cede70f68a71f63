import type { Client } from 'openapi-fetch'
import type { components, operations, paths } from '../generated/content.ts'
import type { AnswerOf, BodyOf, QueryOf } from '../resources/operations.ts'

export type ContentPaths = paths
/** The low-level client of the content workflow service's API. */
export type ContentApi = Client<paths>

type Schemas = components['schemas']

/** The name of an event type, also of one that only the service itself sends. */
export type ContentEventType = Schemas['KnownEventType']

/** An event to publish: its `type` determines the form of its `data`. */
export type ContentEventToPublish = BodyOf<operations['publishContentEvent']>
export type ContentPublished = AnswerOf<operations['publishContentEvent'], 202>

export type ContentFeedEvent = Schemas['Event']
export type ContentFeedPage = AnswerOf<operations['listContentEvents'], 200>
export type ContentFeedQuery = QueryOf<operations['listContentEvents']>

export type ContentConsumer = Schemas['Consumer']
/** A consumer with the count of events that it has not acknowledged. */
export type ContentConsumerState = Schemas['ConsumerState']
export type ContentConsumerToCreate = BodyOf<operations['createContentConsumer']>
export type ContentConsumerPage = AnswerOf<operations['listContentConsumers'], 200>
export type ContentConsumerQuery = QueryOf<operations['listContentConsumers']>
export type ContentSeek = BodyOf<operations['seekContentConsumer']>
export type ContentReadQuery = QueryOf<operations['readContentConsumer']>
export type ContentConsumedEvents = Schemas['ConsumedEvents']
export type ContentConsumedEvent = Schemas['ConsumedEvent']
/** Events that were removed before they were acknowledged. */
export type ContentGap = NonNullable<Schemas['ConsumedEvents']['gap']>

export type ContentWebhook = Schemas['Webhook']
export type ContentWebhookWithSecret = Schemas['WebhookWithSecret']
export type ContentWebhookToCreate = BodyOf<operations['createContentWebhook']>
export type ContentWebhookChanges = BodyOf<operations['updateContentWebhook']>
export type ContentWebhookPage = AnswerOf<operations['listContentWebhooks'], 200>
export type ContentWebhookQuery = QueryOf<operations['listContentWebhooks']>
export type ContentSample = AnswerOf<operations['sampleContentEvent'], 200>

export type ContentDelivery = Schemas['Delivery']
export type ContentDeliveryWithRequests = Schemas['DeliveryWithRequests']
export type ContentDeliveryPage = AnswerOf<operations['listContentDeliveries'], 200>
export type ContentDeliveryQuery = QueryOf<operations['listContentDeliveries']>
export type ContentAllDeliveriesQuery = QueryOf<operations['listAllContentDeliveries']>

/** What {@link ContentRecovery} sends again: at least `since`, a time of RFC 3339. */
export type ContentRecoveryFilter = Omit<BodyOf<operations['recoverContentWebhook']>, 'dry_run'>
export type ContentRecovery = Schemas['Recovery']
export type ContentRecoveryPreview = Schemas['RecoveryPreview']
export type ContentRetry = Schemas['Retry']

export type ContentAuditEntry = Schemas['AuditEntry']
export type ContentAuditPage = AnswerOf<operations['listContentAuditLog'], 200>
export type ContentAuditQuery = QueryOf<operations['listContentAuditLog']>

export type ContentOperationalWebhook = Schemas['OperationalWebhook']
export type ContentOperationalWebhookWithSecret = Schemas['OperationalWebhookWithSecret']
export type ContentOperationalToCreate = BodyOf<operations['createContentOperationalWebhook']>
export type ContentOperationalChanges = BodyOf<operations['updateContentOperationalWebhook']>
export type ContentOperationalDelivery = Schemas['OperationalDelivery']
export type ContentOperationalDeliveryPage = AnswerOf<operations['listContentOperationalDeliveries'], 200>
export type ContentOperationalDeliveryQuery = QueryOf<operations['listContentOperationalDeliveries']>
