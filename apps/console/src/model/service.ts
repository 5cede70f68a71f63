import type { AuditEntry } from './audit.ts'
import type { Delivery, DeliveryFilter, DeliveryStatus, Page } from './delivery.ts'
import type { OperationalApi } from './operational.ts'
import type { Searchable } from './searchable.ts'
import type { Webhook, WebhookChanges, WebhookInput, WebhookVersion, WebhookWithSecret } from './webhook.ts'
import type { WebhookSearch } from './webhookSearch.ts'
import type { EventFilter, WorkspaceEvent } from './workspaceEvent.ts'

/** How a finished delivery is sent again. */
export interface Resend {
  readonly operation: 'redeliver' | 'replay'
  /** The states that allow it. */
  readonly from: readonly DeliveryStatus[]
  /** One more attempt, or as many as a new delivery gets. */
  readonly attempts: 'one' | 'schedule'
}

/** What tells the services' consoles apart; everything else is alike. */
export interface Features {
  /** What people call a webhook there. */
  readonly noun: 'webhook' | 'endpoint'
  /** What the pages about them are called together. */
  readonly area: 'Integrations' | 'Endpoints'
  readonly canPause: boolean
  /** Whether events that come during a pause are sent after it; otherwise the webhook misses them. */
  readonly pauseHolds: boolean
  /** Whether a webhook can be disabled and enabled. */
  readonly canDisable: boolean
  readonly canTest: boolean
  /** The type that only tests have; `null`: there is none, and tests are examples of the webhook's types. */
  readonly testType: string | null
  /** An empty list of types means all. */
  readonly canTakeAllTypes: boolean
  /** `null`: no delivery is sent again. */
  readonly resend: Resend | null
  readonly canReplayMany: boolean
  /** Whether pending deliveries can be attempted before they are due. */
  readonly canRetry: boolean
  readonly canRecover: boolean
  /** Whether a recovery also sends what the webhook missed while it was off or paused. */
  readonly recoversMissed: boolean
  /** States of deliveries, the one that asks for something to be done first. */
  readonly statuses: readonly DeliveryStatus[]
  /** Whether webhooks can ask for event types that are not listed. */
  readonly openCatalog: boolean
  readonly searchable: Searchable
  /** Where whoever missed events can fetch them, with an API key. @param ws id or slug */
  eventsPath(ws: string): string
  /** Whether requests are signed; otherwise receivers cannot tell them from forged ones. */
  readonly isSigned: boolean
}

/** What the service calls a delivery that used up its attempts. */
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

/** What a recovery is about. */
interface RecoveryCount {
  readonly total: number
  readonly delivered: number
  readonly failed: number
  /** Events that it does not send, since the webhook was off or paused. */
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

/** Which deliveries a recovery sends again. */
export interface RecoverFilter {
  /** ISO 8601. */
  readonly since: string
  /** ISO 8601; absent: now. */
  readonly until?: string
  /** Absent: all that can be recovered. */
  readonly status?: readonly DeliveryStatus[]
  /** Absent: all. */
  readonly types?: readonly string[]
}

export type ReplayFilter = Pick<DeliveryFilter, 'webhookId' | 'eventType' | 'from' | 'to'>

/** A sent delivery, and how many of the minute's tests and redeliveries are left; `null` where there is no limit. */
interface Sent {
  readonly delivery: Delivery
  readonly remaining: number | null
}

/** One workspace's API in the words of the console. All calls reject with ProblemError or OfflineError. */
export interface Service {
  /** Of its profile. */
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
  /** @param etag refuses (412 `version_mismatch`) when somebody changed it since; `null`: whatever it is now */
  updateWebhook(params: { id: string; changes: WebhookChanges; etag: string | null }): Promise<WebhookVersion>
  deleteWebhook(params: { id: string }): Promise<void>
  rotateSecret(params: { id: string; idempotencyKey: string }): Promise<WebhookWithSecret>
  /** Where `features.canTest`. @param type whose example is sent; `null`: the usual test */
  sendTest(params: { id: string; type: string | null }): Promise<Sent>
  listDeliveries(params: {
    filter: DeliveryFilter
    cursor: string | null
    limit: number
    signal?: AbortSignal | undefined
  }): Promise<Page<Delivery>>
  /** Newest first. A cursor goes on under the filters that it came with alone. */
  listEvents(params: {
    filter: EventFilter
    cursor: string | null
    limit: number
    signal?: AbortSignal | undefined
  }): Promise<Page<WorkspaceEvent>>
  /** With the requests as they were sent. */
  getDelivery(params: { webhookId: string; id: string; signal?: AbortSignal | undefined }): Promise<Delivery>
  /** Redelivers or replays, see `features.resend`. */
  resend(params: { webhookId: string; id: string }): Promise<Sent>
  /** Where `features.canRetry`: makes the next attempt of a pending delivery now. */
  retry(params: { webhookId: string; id: string }): Promise<Sent>
  /** The same for all that is pending of a webhook, one after the other. */
  retryAll(params: { id: string }): Promise<void>
  /** Where `features.canRecover`. */
  countRecoverable(params: {
    id: string
    filter: RecoverFilter
    signal?: AbortSignal | undefined
  }): Promise<RecoveryCount>
  recover(params: { id: string; filter: RecoverFilter; idempotencyKey: string }): Promise<Recovery>
  getRecovery(params: { webhookId: string; id: string; signal?: AbortSignal | undefined }): Promise<Recovery>
  cancelRecovery(params: { webhookId: string; id: string }): Promise<Recovery>
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
  /** The webhook that gets events about other webhooks: failing, recovered, disabled. */
  readonly operational: OperationalApi
}
