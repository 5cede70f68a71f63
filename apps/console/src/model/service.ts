import type { AuditEntry } from './audit.ts'
import type { Delivery, DeliveryFilter, DeliveryStatus, Page } from './delivery.ts'
import type { OperationalApi } from './operational.ts'
import type { Searchable } from './searchable.ts'
import type { Webhook, WebhookChanges, WebhookInput, WebhookVersion, WebhookWithSecret } from './webhook.ts'
import type { WebhookSearch } from './webhookSearch.ts'
import type { EventFilter, WorkspaceEvent } from './workspaceEvent.ts'

/** How finished deliveries are resent. */
export interface Resend {
  readonly operation: 'redeliver' | 'replay'
  /** The states that allow it. */
  readonly from: readonly DeliveryStatus[]
  /** One attempt, or the full retry schedule. */
  readonly attempts: 'one' | 'schedule'
}

/** Differences between services in the console. */
export interface Features {
  /** The service's word for a webhook. */
  readonly noun: 'webhook' | 'endpoint'
  /** Title of the list of webhooks. */
  readonly area: 'Integrations' | 'Endpoints'
  readonly canPause: boolean
  /** Whether events published during a pause are sent afterwards; otherwise they are skipped. */
  readonly pauseHolds: boolean
  /** Whether a webhook can be disabled and enabled. */
  readonly canDisable: boolean
  readonly canTest: boolean
  /** Event type of tests; `null`: tests are examples of the webhook's types. */
  readonly testType: string | null
  /** Whether a webhook may subscribe to all types, by an empty list. */
  readonly canTakeAllTypes: boolean
  /** `null`: not supported. */
  readonly resend: Resend | null
  readonly canReplayMany: boolean
  /** Whether pending deliveries can be attempted before they are due. */
  readonly canRetry: boolean
  readonly canRecover: boolean
  /** Whether a recovery also sends events missed while the webhook was disabled or paused. */
  readonly recoversMissed: boolean
  /** States of deliveries, the one that needs action first. */
  readonly statuses: readonly DeliveryStatus[]
  /** Whether webhooks can subscribe to event types that are not in the catalog. */
  readonly openCatalog: boolean
  readonly searchable: Searchable
  /** Path for fetching missed events with an API key. @param ws id or slug */
  eventsPath(ws: string): string
  /** Whether requests are signed. */
  readonly isSigned: boolean
}

/** The service's word for a delivery that used all of its attempts. */
export const failedWordOf = ({ statuses }: Pick<Features, 'statuses'>): 'dead' | 'failed' =>
  statuses.includes('dead') ? 'dead' : 'failed'

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

/** Counts of a recovery. */
interface RecoveryCount {
  readonly total: number
  readonly delivered: number
  readonly failed: number
  /** Events missed while the webhook was disabled or paused. */
  readonly missed: { readonly count: number; readonly hasMore: boolean }
}

export interface Recovery extends RecoveryCount {
  readonly id: string
  readonly status: 'running' | 'done' | 'canceled'
  readonly done: number
  readonly since: string
  readonly until: string
  readonly createdAt: string
}

/** The deliveries that a recovery resends. */
export interface RecoverFilter {
  /** ISO 8601. */
  readonly since: string
  /** ISO 8601; absent: now. */
  readonly until?: string
  /** Absent: all recoverable states. */
  readonly status?: readonly DeliveryStatus[]
  /** Absent: all. */
  readonly types?: readonly string[]
}

export type ReplayFilter = Pick<DeliveryFilter, 'webhookId' | 'eventType' | 'from' | 'to'>

/** A sent delivery, and the remaining manual sends of this minute; `null`: unlimited. */
interface Sent {
  readonly delivery: Delivery
  readonly remaining: number | null
}

/** API client of one workspace. All calls reject with ProblemError or OfflineError. */
export interface Service {
  /** Name in its profile. */
  readonly name: string
  readonly features: Features
  /** @param search absent: all, newest first */
  listWebhooks(params: {
    cursor: string | null
    search?: WebhookSearch
    signal?: AbortSignal | undefined
  }): Promise<Page<Webhook>>
  getWebhook(params: { id: string; signal?: AbortSignal | undefined }): Promise<WebhookVersion>
  createWebhook(params: { input: WebhookInput; idempotencyKey: string }): Promise<WebhookWithSecret>
  /** @param etag rejects with 412 `version_mismatch` if the webhook was changed since; `null`: no check */
  updateWebhook(params: { id: string; changes: WebhookChanges; etag: string | null }): Promise<WebhookVersion>
  deleteWebhook(params: { id: string }): Promise<void>
  rotateSecret(params: { id: string; idempotencyKey: string }): Promise<WebhookWithSecret>
  /** Requires `features.canTest`. @param type sends an example of it; `null`: the default test */
  sendTest(params: { id: string; type: string | null }): Promise<Sent>
  listDeliveries(params: {
    filter: DeliveryFilter
    cursor: string | null
    limit: number
    signal?: AbortSignal | undefined
  }): Promise<Page<Delivery>>
  /** Newest first. A cursor is valid only with the same filters. */
  listEvents(params: {
    filter: EventFilter
    cursor: string | null
    limit: number
    signal?: AbortSignal | undefined
  }): Promise<Page<WorkspaceEvent>>
  /** Includes the sent requests. */
  getDelivery(params: { webhookId: string; id: string; signal?: AbortSignal | undefined }): Promise<Delivery>
  /** Redelivers or replays, see `features.resend`. */
  resend(params: { webhookId: string; id: string }): Promise<Sent>
  /** Requires `features.canRetry`. Makes the next attempt of a pending delivery now. */
  retry(params: { webhookId: string; id: string }): Promise<Sent>
  /** Retries all pending deliveries of a webhook, one after the other. */
  retryAll(params: { id: string }): Promise<void>
  /** Requires `features.canRecover`. */
  countRecoverable(params: {
    id: string
    filter: RecoverFilter
    signal?: AbortSignal | undefined
  }): Promise<RecoveryCount>
  recover(params: { id: string; filter: RecoverFilter; idempotencyKey: string }): Promise<Recovery>
  getRecovery(params: { webhookId: string; id: string; signal?: AbortSignal | undefined }): Promise<Recovery>
  cancelRecovery(params: { webhookId: string; id: string }): Promise<Recovery>
  /** Requires `features.canReplayMany`. */
  countReplayable(filter: ReplayFilter): Promise<{ readonly total: number; readonly hasMore: boolean }>
  startReplay(params: { filter: ReplayFilter; idempotencyKey: string }): Promise<Replay>
  getReplay(params: { id: string; signal?: AbortSignal | undefined }): Promise<Replay>
  /** For owners. @param target id; only entries about it */
  listAudit(params: {
    cursor: string | null
    limit: number
    target: string | null
    signal?: AbortSignal | undefined
  }): Promise<Page<AuditEntry>>
  /** Reads a delivery in this service's JSON, from the live stream. */
  readDelivery(json: unknown): Delivery
  /** The webhook that receives events about other webhooks: failing, recovered, disabled. */
  readonly operational: OperationalApi
}
