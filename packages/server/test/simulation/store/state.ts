import type { DeliveryStatus } from '../../../src/core/delivery.ts'
import type { TimeClosed } from '../../../src/core/health.ts'
import type { ResendTrigger } from '../../../src/core/policy.ts'
import type { CallName, CallParams, CallResult } from '../../../src/storage/callGroups.ts'
import { gapSince } from '../../../src/storage/queries/egress.ts'
import { type Outage, StoreUnavailableError } from '../../../src/storage/storage.ts'
import type { FreedBy, StoreEntry } from '../trace.ts'
import { DueIndex } from './dueIndex.ts'
import {
  isMarked,
  type StoredDelivery,
  type StoredLease,
  type StoredNode,
  type StoredReplay,
  type StoredWebhook,
  type StoredWorkspace,
} from './rows.ts'

/** Methods that the model executes synchronously. */
export type Calls<Name extends CallName> = {
  readonly [V in Name]: (params: CallParams<V>) => CallResult<V>
}

/** Limits of one call. Small numbers make the model take steps where a real store takes one. */
export interface StoreSizes {
  /** Deliveries that one publish creates for a workspace before its answer. */
  readonly atOnce: number
  /** Deliveries canceled by the call that disables a webhook. */
  readonly canceledAtOnce: number
  /** Leases freed by one rescue. */
  readonly leasesFreed: number
}

export const REAL_SIZES: StoreSizes = { atOnce: 2_000, canceledAtOnce: 2_000, leasesFreed: 10 }

/** The content of the model, and operations that several methods share. */
export class StoreState {
  readonly sizes: StoreSizes
  /** The store's own clock, which determines the expiry of leases; Unix ms. */
  readonly now: () => number
  readonly note: (entry: StoreEntry) => void
  readonly workspaces: StoredWorkspace[] = []
  readonly webhooks: StoredWebhook[] = []
  readonly deliveries: StoredDelivery[] = []
  readonly nodes = new Map<number, StoredNode>()
  /** The nodes that send to webhooks with limits, by webhook. */
  readonly limitOwners = new Map<number, number>()
  readonly leases = new Map<number, StoredLease>()
  readonly replays: StoredReplay[] = []
  readonly due = new DueIndex()
  /** Webhooks whose deliveries are being canceled. */
  readonly canceling = new Set<StoredWebhook>()
  /** When a node last recorded that it can send; `null`: none has yet. */
  openAt: number | null = null
  /** Newest first. */
  readonly outages: Outage[] = []
  /** The latest time at which any delivery was ever due. */
  latestDueAt = 0
  /** Called with webhooks whose changes senders must notice. */
  readonly onChanged: (webhookIds: readonly number[]) => void
  /** The latest lease; they are numbered from 1 on. */
  lastLease = 0

  constructor(params: {
    readonly sizes: StoreSizes
    readonly now: () => number
    readonly note: (entry: StoreEntry) => void
    readonly onChanged: (webhookIds: readonly number[]) => void
  }) {
    this.sizes = params.sizes
    this.now = params.now
    this.note = params.note
    this.onChanged = params.onChanged
  }

  workspace(id: number): StoredWorkspace | undefined {
    const workspace = this.workspaces[id - 1]
    return workspace?.deletedAt === null ? workspace : undefined
  }

  webhook(workspaceId: number, webhookId: number): StoredWebhook | undefined {
    const webhook = this.webhooks[webhookId - 1]
    return webhook?.deletedAt === null && webhook.workspace.id === workspaceId ? webhook : undefined
  }

  delivery(workspaceId: number, deliveryId: number): StoredDelivery | undefined {
    const delivery = this.deliveries[deliveryId - 1]
    if (delivery === undefined || delivery.removed || delivery.webhook.deletedAt !== null) return undefined
    return delivery.webhook.workspace.id === workspaceId ? delivery : undefined
  }

  /** Whether the node may take deliveries. */
  lives(nodeId: number): boolean {
    const node = this.nodes.get(nodeId)
    return node !== undefined && node.leaseUntil > this.now()
  }

  /**
   * Whether the node may record results of its leases; false when it is gone. @throws StoreUnavailableError
   */
  holds(nodeId: number): boolean {
    const node = this.nodes.get(nodeId)
    if (node !== undefined && node.leaseUntil <= this.now())
      throw new StoreUnavailableError('the lease of this node expired')
    return node !== undefined
  }

  newLease(nodeId: number): StoredLease {
    return { id: ++this.lastLease, nodeId, deliveries: new Set() }
  }

  lease(delivery: StoredDelivery, lease: StoredLease): void {
    delivery.lease = lease.id
    lease.deliveries.add(delivery)
    delivery.webhook.leased.add(delivery)
  }

  /** @param now the node's time */
  keepLease(lease: StoredLease, now: number): void {
    if (lease.deliveries.size === 0) return
    this.leases.set(lease.id, lease)
    const deliveryIds = [...lease.deliveries].map(({ id }) => id)
    this.note({ kind: 'leased', nodeId: lease.nodeId, lease: lease.id, now, deliveryIds })
  }

  endLease(delivery: StoredDelivery): void {
    const lease = this.leases.get(delivery.lease!)
    lease?.deliveries.delete(delivery)
    if (lease?.deliveries.size === 0) this.leases.delete(lease.id)
    delivery.lease = null
    delivery.webhook.leased.delete(delivery)
  }

  /** When no node could send, including a current outage. */
  closed(now: number, notBefore: number | null): readonly TimeClosed[] {
    const gap = this.openAt === null ? null : gapSince(this.openAt, now, notBefore)
    return gap === null ? [...this.outages] : [gap, ...this.outages]
  }

  /** Ends leases of deliveries that were not attempted. */
  free(deliveries: readonly StoredDelivery[], by: FreedBy): void {
    if (deliveries.length === 0) return
    for (const delivery of deliveries) {
      this.endLease(delivery)
      if (delivery.status === 'pending') this.wait(delivery)
    }
    this.note({ kind: 'freed', by, deliveryIds: deliveries.map(({ id }) => id) })
  }

  /** Lets the delivery wait for its next attempt. */
  wait(delivery: StoredDelivery): void {
    const { webhook } = delivery
    this.latestDueAt = Math.max(this.latestDueAt, delivery.nextAttemptAt!)
    webhook.waiting.push(delivery)
    if (webhook.waiting.first === delivery) this.due.note(webhook)
  }

  /** Begins a new run of attempts of a finished delivery, due now. */
  startRun(delivery: StoredDelivery, asked: ResendTrigger, now: number, replayId: number | null): void {
    delivery.webhook.unhealthy.delete(delivery)
    const trigger = delivery.trigger === 'test' ? 'test' : asked
    const run = {
      trigger,
      runStart: delivery.attempts.length,
      nextAttemptAt: now,
      finishedAt: null,
      replayId,
    }
    Object.assign(delivery, { status: 'pending', cancelReason: null, ...run })
    this.note({ kind: 'resent', deliveryId: delivery.id, trigger: asked, now, replayId })
    this.wait(delivery)
  }
}

/** One that is canceled in flight keeps its lease, since it may still be delivered. */
export function end(delivery: StoredDelivery, status: DeliveryStatus, at: number): void {
  if (delivery.status !== 'canceled' || status === 'delivered') delivery.finishedAt = at
  delivery.status = status
  delivery.nextAttemptAt = null
  if (status === 'delivered') delivery.webhook.unhealthy.delete(delivery)
  else delivery.webhook.unhealthy.add(delivery)
}

/**
 * The status for resending: a canceled delivery is not finished while an attempt may still be in flight, nor
 * while its webhook's rows are being canceled.
 */
export function statusForResending(delivery: StoredDelivery): DeliveryStatus {
  return delivery.lease === null && !isMarked(delivery) ? delivery.status : 'pending'
}
