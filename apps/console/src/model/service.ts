import type { AuditEntry } from './audit.ts'
import type { Delivery, DeliveryFilter, DeliveryStatus, Page } from './delivery.ts'
import type { Webhook, WebhookChanges, WebhookInput, WebhookVersion, WebhookWithSecret } from './webhook.ts'

export type Dialect = 'content' | 'ads'

/** What tells the services' consoles apart; everything else is alike. */
export interface Features {
  /** What people call a webhook there. */
  readonly noun: 'webhook' | 'endpoint'
  /** What the pages about them are called together. */
  readonly area: 'Integrations' | 'Endpoints'
  readonly canPause: boolean
  readonly canTest: boolean
  /** An empty list of types means all. */
  readonly canTakeAllTypes: boolean
  /** What sends a finished delivery again: one more attempt, or, when it is dead, everything anew. */
  readonly resend: 'redeliver' | 'replay'
  readonly canReplayMany: boolean
  /** States of deliveries, the one that asks for something to be done first. */
  readonly statuses: readonly DeliveryStatus[]
  /** Where whoever missed events can fetch them, with an API key. @param ws id or slug */
  eventsPath(ws: string): string
  /** How requests are signed: for verification snippets. */
  readonly scheme: 'standard' | 'hex'
}

export interface Replay {
  readonly id: string
  readonly status: 'running' | 'finished'
  readonly total: number
  readonly replayed: number
  readonly webhookId: string | null
  readonly eventType: string | null
  readonly from: string | null
  readonly to: string | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

export type ReplayFilter = Pick<DeliveryFilter, 'webhookId' | 'eventType' | 'from' | 'to'>

/** A sent delivery, and how many of the minute's tests and redeliveries are left; `null` where there is no limit. */
interface Sent {
  readonly delivery: Delivery
  readonly remaining: number | null
}

/** One workspace's API in the words of the console. All calls reject with ProblemError or OfflineError. */
export interface Service {
  readonly dialect: Dialect
  readonly features: Features
  listWebhooks(params: { cursor: string | null; signal?: AbortSignal | undefined }): Promise<Page<Webhook>>
  getWebhook(params: { id: string; signal?: AbortSignal | undefined }): Promise<WebhookVersion>
  createWebhook(params: { input: WebhookInput; idempotencyKey: string }): Promise<WebhookWithSecret>
  /** @param etag refuses (412 `version_mismatch`) when somebody changed it since; `null`: whatever it is now */
  updateWebhook(params: { id: string; changes: WebhookChanges; etag: string | null }): Promise<WebhookVersion>
  deleteWebhook(params: { id: string }): Promise<void>
  rotateSecret(params: { id: string; idempotencyKey: string }): Promise<WebhookWithSecret>
  /** Where `features.canTest`. */
  sendTest(params: { id: string }): Promise<Sent>
  listDeliveries(params: {
    filter: DeliveryFilter
    cursor: string | null
    limit: number
    signal?: AbortSignal | undefined
  }): Promise<Page<Delivery>>
  /** With the requests as they were sent. */
  getDelivery(params: { webhookId: string; id: string; signal?: AbortSignal | undefined }): Promise<Delivery>
  /** Redelivers or replays, see `features.resend`. */
  resend(params: { webhookId: string; id: string }): Promise<Sent>
  /** Where `features.canReplayMany`. */
  countReplayable(filter: ReplayFilter): Promise<{ readonly total: number; readonly hasMore: boolean }>
  startReplay(params: { filter: ReplayFilter; idempotencyKey: string }): Promise<Replay>
  getReplay(params: { id: string; signal?: AbortSignal | undefined }): Promise<Replay>
  /** For owners. @param target only what was done to what has this id */
  listAudit(params: {
    cursor: string | null
    limit: number
    target: string | null
    signal?: AbortSignal | undefined
  }): Promise<Page<AuditEntry>>
  /** One delivery in the JSON of this service, as the live stream sends it. */
  readDelivery(json: unknown): Delivery
}
