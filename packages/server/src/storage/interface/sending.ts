import type { HealthPolicy, HealthSignal, OffReason } from '../../core/health.ts'
import type {
  Attempt,
  LeasedDelivery,
  Notification,
  SendingTarget,
  StoredEvent,
  WebhookRef,
} from '../rows.ts'
import type { QueuePosition } from './stats.ts'

export interface EventToStore {
  /** From {@link SendingCalls.reserveEventIds}. */
  readonly id: number
  readonly workspaceId: number
  readonly type: string
  /** The publisher's own id in canonical form, or `null`. */
  readonly broughtId: string | null
  /** When `broughtId` was derived by this store: its row. A publisher may repeat an id that we assigned. */
  readonly broughtRowId: number | null
  /** Hash of the published data, to distinguish a repeat from another event under the same id; `null` without `broughtId`. */
  readonly fingerprint: Uint8Array | null
  readonly body: string
  readonly createdAt: number
  /** The trace that it belongs to, as a W3C `traceparent`; `null`: none. */
  readonly traceparent: string | null
}

export type PublishResult =
  | {
      readonly outcome: 'accepted'
      /** For each event in order: `null`, or the row that an earlier publish under the same id made. */
      readonly repeats: readonly (Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'> | null)[]
      /** How many deliveries the batch creates, now or later. */
      readonly deliveries: number
      /** How many of these {@link MaintenanceCalls.stepFanouts} creates. */
      readonly late: number
      /**
       * Deliveries leased to the node, with the position of their event in the batch: in the order of events, and
       * within one of webhooks.
       */
      readonly leased: readonly (LeasedRef & { readonly event: number })[]
      /** Webhooks with new deliveries that are leased to no node; webhooks with a limit always are. */
      readonly unleased: readonly number[]
    }
  /** Nothing of the batch was stored: the event at this position has an id that another event has. */
  | { readonly outcome: 'id_conflict'; readonly event: number }
  /** Nothing of the batch was stored: this many deliveries of its workspace are already waiting to be created. */
  | { readonly outcome: 'fanout_full'; readonly waiting: number }

/** A delivery that is leased to a node, in the form in which the node refers to it. */
export interface DeliveryLease {
  readonly deliveryId: number
  readonly createdAt: number
  /** Returned by the store with the delivery; only the store knows its meaning. It may differ each time. */
  readonly lease: number
}

export interface LeasedRef extends DeliveryLease {
  readonly webhookId: number
  readonly webhookVersion: number
}

export interface AttemptToRecord extends DeliveryLease {
  readonly webhookId: number
  readonly attempt: Attempt
  readonly next:
    | { readonly status: 'delivered' | 'failed' | 'dead'; readonly nextAttemptAt: null }
    | { readonly status: 'pending'; readonly nextAttemptAt: number }
  readonly signal: HealthSignal
  /** Position in `healthPolicies`. */
  readonly healthPolicy: number
  /** The bulk replay that started the run of the attempt; `null`: none. */
  readonly replayId: number | null
}

export interface RecordResult {
  /** Deliveries that were no longer leased to this node: nothing was recorded for them. In the order of the results. */
  readonly lost: readonly number[]
  /** In the order of the first result of each. */
  readonly disabled: readonly { readonly webhookId: number; readonly reason: OffReason }[]
  readonly notifications: readonly Notification[]
}

/** The hot path: every delivery passes through these calls. They take and return sets. */
export interface SendingCalls {
  /** @returns the first of `count` consecutive ids that no other call gets. */
  reserveEventIds(params: { count: number }): Promise<number>
  /**
   * Each batch is stored or rejected as a whole; results are in the order of `batches`. A delivery has its event's time. A node
   * that is gone gets nothing leased. If a batch creates many deliveries, {@link MaintenanceCalls.stepFanouts} creates those of
   * some of its events.
   */
  publish(params: {
    nodeId: number
    batches: readonly (readonly EventToStore[])[]
    /** How many deliveries the node has room for; the rest stay unleased, due now. */
    room: number
    /** Webhooks whose deliveries are not leased to the node but stay in the store. */
    keepInStore: readonly number[]
    /** Deliveries of a workspace that may wait to be created. */
    maxFanout: number
  }): Promise<readonly PublishResult[]>
  /**
   * Leases due deliveries, by turns over webhooks, oldest first within one. Webhooks that are not on, or whose earlier
   * deliveries are still being canceled, have no turn. A webhook with a limit has turns with a single node, its owner. A node
   * becomes the owner with its first claim and remains it until it gives it up or is gone. It gets no more deliveries than it
   * will send soon.
   */
  claimDue(params: {
    nodeId: number
    now: number
    /** Most deliveries to take. A store takes fewer if more would delay other calls. */
    limit: number
    perWebhook: number
    /** Webhooks to leave out. */
    except: readonly number[]
    /** Workspaces to skip. */
    exceptWorkspaces: readonly number[]
    /** Where the last call ended; 0 at first. */
    afterWebhookId: number
  }): Promise<{
    readonly deliveries: readonly LeasedDelivery[]
    /** Webhooks with more due deliveries than were taken, including webhooks of skipped workspaces. */
    readonly more: readonly WebhookRef[]
    /** Webhooks with limits and due deliveries that another node sends. */
    readonly elsewhere: readonly WebhookRef[]
    /** For the next call; 0 once all webhooks had their turn. */
    readonly nextAfterWebhookId: number
    /** When the next delivery falls due, as far as this call saw; `null`: none. */
    readonly nextDueAt: number | null
  }>
  /**
   * Records attempts of deliveries leased to the node, updates the health of their webhooks, and ends the leases. Results count
   * in order. A delivery that was canceled in flight becomes delivered if its attempt succeeded, and stays canceled if it
   * failed. Time in which no node could send does not count as failing.
   */
  recordAttempts(params: {
    nodeId: number
    now: number
    healthPolicies: readonly HealthPolicy[]
    /** Unix ms since when the clock has not jumped; failing counts from here; `null`: always. */
    steadySince: number | null
    /** Unix ms; the earliest start of an ongoing outage, whatever the notes of nodes say; `null`: not known. */
    outageNotBefore: number | null
    /** Unix ms before which no webhook began to fail, since the clock was set back. `null`: at any time. */
    failingFrom: number | null
    results: readonly AttemptToRecord[]
  }): Promise<RecordResult>
  /**
   * Releases deliveries without an attempt. Deliveries that are no longer leased to the node, or that it has leased again since,
   * are not changed.
   */
  releaseDeliveries(params: { nodeId: number; deliveries: readonly DeliveryLease[] }): Promise<void>
  /** The node stops being the owner of these webhooks with limits: it has no deliveries of them, and another node may send. */
  releaseLimits(params: { nodeId: number; webhookIds: readonly number[] }): Promise<void>
  /** Leaves out deleted webhooks, secrets whose overlap ended by `now`, and all but the newest 32 secrets. */
  loadTargets(params: { webhookIds: readonly number[]; now: number }): Promise<readonly SendingTarget[]>
  /**
   * Counts a part of a workspace's pending deliveries, uncreated ones with the first part; together the parts count all but
   * those leased to nodes. One call takes only milliseconds of the time that other calls wait for.
   * @param from `null`: the first part
   */
  countPending(params: { workspaceId: number; from: QueuePosition | null }): Promise<{
    readonly pending: number
    /** `null`: that was the last part. */
    readonly next: QueuePosition | null
  }>
}
