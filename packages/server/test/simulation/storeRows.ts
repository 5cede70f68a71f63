import type { DeliveryStatus, Trigger } from '../../src/core/delivery.ts'
import type { OffReason } from '../../src/core/health.ts'
import type { Attempt, DeliveryRecord, LeasedDelivery, Webhook, Workspace } from '../../src/storage/rows.ts'
import type { AttemptToRecord, EventToStore, HeldDelivery } from '../../src/storage/storage.ts'
import type { Heap } from './heap.ts'

/** There is one node, so that one lease will do. */
const LEASE = 1

export interface StoredWebhook {
  readonly id: number
  readonly workspace: Workspace
  /** As it was made; what changes stands beside it. */
  readonly made: Webhook
  readonly sealedSecret: Uint8Array
  status: 'on' | 'off'
  offReason: OffReason | null
  failingSince: number | null
  warned: boolean
  version: number
  readonly waiting: Heap<StoredDelivery>
  readonly leased: Set<StoredDelivery>
}

export interface StoredDelivery {
  readonly id: number
  readonly webhook: StoredWebhook
  readonly event: EventToStore
  status: DeliveryStatus
  readonly attempts: Attempt[]
  trigger: Trigger
  runStart: number
  nextAttemptAt: number | null
  finishedAt: number | null
  leased: boolean
}

/** What happened in the store, in the order in which it took effect. Times in Unix ms. */
export type Entry =
  | {
      readonly kind: 'published'
      readonly at: number
      readonly event: EventToStore
      readonly deliveries: readonly StoredDelivery[]
    }
  | {
      readonly kind: 'attempted'
      readonly at: number
      readonly delivery: StoredDelivery
      readonly attempt: Attempt
      readonly next: AttemptToRecord['next']
    }
  | {
      readonly kind: 'switchedOff'
      readonly at: number
      readonly webhook: StoredWebhook
      readonly reason: OffReason
    }
  | { readonly kind: 'warned' | 'switchedOn'; readonly at: number; readonly webhook: StoredWebhook }
  | { readonly kind: 'replayed'; readonly at: number; readonly delivery: StoredDelivery }

export type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { readonly kind: Kind }>

export function toWebhook({ made, status, offReason, failingSince, version }: StoredWebhook): Webhook {
  return { ...made, status, offReason, failingSince, version }
}

export function heldOf({ id, event }: StoredDelivery): HeldDelivery {
  return { deliveryId: id, createdAt: event.createdAt, lease: LEASE }
}

export function toLeased(delivery: StoredDelivery): LeasedDelivery {
  const { id, webhook, event, attempts, trigger, runStart } = delivery
  // Spelled out, since spreading costs more than all else here.
  return {
    id,
    lease: LEASE,
    workspaceId: webhook.workspace.id,
    webhookId: webhook.id,
    webhookVersion: webhook.version,
    eventId: event.id,
    eventPublicId: event.broughtId,
    eventType: event.type,
    body: event.body,
    createdAt: event.createdAt,
    attempts: attempts.length,
    trigger,
    runStart,
  }
}

export function toRecord(delivery: StoredDelivery): DeliveryRecord {
  const { id, webhook, event, status, attempts, nextAttemptAt, finishedAt } = delivery
  return {
    id,
    webhookId: webhook.id,
    webhookPublicId: webhook.made.publicId,
    eventId: event.id,
    broughtEventId: event.broughtId,
    eventType: event.type,
    status,
    cancelReason: status === 'canceled' ? 'webhook_off' : null,
    attempts,
    nextAttemptAt,
    createdAt: event.createdAt,
    finishedAt,
  }
}
