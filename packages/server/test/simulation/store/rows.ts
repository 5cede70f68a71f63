import type { DeliveryStatus, RunTrigger } from '../../../src/core/delivery.ts'
import type { WebhookStatus } from '../../../src/core/enabledState.ts'
import type { OffReason } from '../../../src/core/health.ts'
import type {
  Attempt,
  DeliveryRecord,
  LeasedDelivery,
  Replay,
  SealedSecret,
  Webhook,
  WebhookRetry,
  Workspace,
} from '../../../src/storage/rows.ts'
import type { DeliveryLease, EventToStore, ReplayFilter } from '../../../src/storage/storage.ts'
import type { Heap } from '../heap.ts'

export interface StoredWorkspace {
  readonly id: number
  /** As created. */
  readonly made: Workspace
  suspendedAt: number | null
  deletedAt: number | null
  readonly webhooks: StoredWebhook[]
  /** Times of manual sends. */
  sends: number[]
  /** Oldest first. */
  readonly fanouts: StoredFanout[]
}

export interface StoredFanout {
  readonly event: EventToStore
  readonly webhooks: readonly { readonly webhook: StoredWebhook; readonly version: number }[]
  position: number
}

export interface StoredWebhook {
  readonly id: number
  readonly workspace: StoredWorkspace
  /** As created; changing members are separate. */
  readonly made: Webhook
  /** Oldest first. */
  readonly secrets: SealedSecret[]
  url: string
  eventTypes: readonly string[]
  description: string
  maxPerSecond: number | null
  maxInFlight: number | null
  status: WebhookStatus
  offReason: OffReason | null
  stoppedAt: number | null
  failingSince: number | null
  warned: boolean
  version: number
  updatedAt: number
  deletedAt: number | null
  /** Deliveries up to this one are being canceled. */
  canceledThrough: number | null
  canceledAt: number | null
  /** Its version when it was last disabled, and when that was. */
  disabledVersion: number | null
  disabledAt: number | null
  /** Pending deliveries without a lease. */
  readonly waiting: Heap<StoredDelivery>
  readonly leased: Set<StoredDelivery>
  /** Deliveries that ended without success. */
  readonly unhealthy: Set<StoredDelivery>
  /** The last retry of all pending deliveries; `null`: there was none. */
  retry: StoredRetry | null
}

export interface StoredRetry extends Pick<WebhookRetry, 'askedAt'> {
  delivered: number
  outcome: WebhookRetry['outcome']
  endedAt: number | null
  /** The last batch, and the numbers of its attempts. */
  batch: readonly { readonly delivery: StoredDelivery; readonly number: number }[]
  size: number
}

export interface StoredDelivery {
  readonly id: number
  readonly webhook: StoredWebhook
  readonly event: EventToStore
  status: DeliveryStatus
  cancelReason: 'expired' | null
  readonly attempts: Attempt[]
  trigger: RunTrigger
  runStart: number
  retryNumber: number | null
  replayId: number | null
  nextAttemptAt: number | null
  finishedAt: number | null
  lease: number | null
  /** Whether retention has removed it. */
  removed: boolean
}

/** Deliveries that one call leased to a node. */
export interface StoredLease {
  readonly id: number
  readonly nodeId: number
  readonly deliveries: Set<StoredDelivery>
}

export interface StoredNode {
  readonly id: number
  readonly startedAt: number
  readonly version: string | null
  leaseUntil: number
  readonly masterKeys: readonly string[] | null
}

export interface StoredReplay {
  readonly filter: ReplayFilter
  readonly max: number
  row: Replay
  /** The last visited delivery. */
  at: { readonly webhookId: number; readonly time: number; readonly deliveryId: number }
}

/** The current status: an enabled webhook of a suspended workspace is paused. */
export function effectiveStatus({ status, workspace }: StoredWebhook): WebhookStatus {
  return status === 'on' && workspace.suspendedAt !== null ? 'paused' : status
}

/** Whether any of its deliveries may be claimed. */
export function isClaimable({ status, deletedAt, canceledThrough, workspace }: StoredWebhook): boolean {
  return status === 'on' && deletedAt === null && canceledThrough === null && workspace.suspendedAt === null
}

export function toWorkspace({ made, suspendedAt }: StoredWorkspace): Workspace {
  return { ...made, suspendedAt }
}

export function toWebhook(webhook: StoredWebhook): Webhook {
  const { made, url, eventTypes, description, maxPerSecond, maxInFlight } = webhook
  const { offReason, stoppedAt, failingSince, updatedAt, version } = webhook
  const status = effectiveStatus(webhook)
  return {
    ...made,
    ...{ url, eventTypes, description, maxPerSecond, maxInFlight },
    ...{ status, offReason, stoppedAt, failingSince, updatedAt, version },
  }
}

export function leaseOf({ id, event, lease }: StoredDelivery): DeliveryLease {
  return { deliveryId: id, createdAt: event.createdAt, lease: lease! }
}

export function toLeased(delivery: StoredDelivery): LeasedDelivery {
  const { id, lease, webhook, event, attempts, trigger, runStart, retryNumber, replayId } = delivery
  // Spelled out, since spreading costs more than everything else here.
  return {
    id,
    lease: lease!,
    workspaceId: webhook.workspace.id,
    webhookId: webhook.id,
    webhookVersion: webhook.version,
    eventId: event.id,
    eventPublicId: event.broughtId,
    eventType: event.type,
    body: event.body,
    createdAt: event.createdAt,
    traceparent: event.traceparent,
    attempts: attempts.length,
    trigger,
    runStart,
    retryNumber,
    replayId,
  }
}

/** Whether its webhook was disabled, but maintenance has not reached this delivery yet. */
export function isMarked({ id, webhook }: StoredDelivery): boolean {
  return webhook.canceledThrough !== null && id <= webhook.canceledThrough
}

export function toRecord(delivery: StoredDelivery): DeliveryRecord {
  const { id, webhook, event, attempts } = delivery
  const marked = delivery.status === 'pending' && isMarked(delivery)
  const status = marked ? 'canceled' : delivery.status
  return {
    id,
    webhookId: webhook.id,
    webhookPublicId: webhook.made.publicId,
    eventId: event.id,
    broughtEventId: event.broughtId,
    eventType: event.type,
    status,
    cancelReason: status === 'canceled' ? (delivery.cancelReason ?? 'webhook_off') : null,
    attempts: attempts.slice(-ATTEMPTS_SHOWN),
    nextAttemptAt: marked ? null : delivery.nextAttemptAt,
    createdAt: event.createdAt,
    finishedAt: marked ? webhook.canceledAt : delivery.finishedAt,
  }
}

const ATTEMPTS_SHOWN = 100
