import type { Trigger } from '../core/delivery.ts'
import type { HealthPolicy, HealthSignal, OffReason } from '../core/health.ts'
import type { IdKey } from '../core/ids.ts'
import type { Switches } from '../core/switches.ts'
import type {
  ApiKey,
  Attempt,
  Creator,
  DeliveryRecord,
  LeasedDelivery,
  Member,
  Notification,
  Role,
  SendingTarget,
  StoredEvent,
  Webhook,
  Workspace,
} from './rows.ts'

/** The store cannot take work now; nothing of the call was kept. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store cannot be opened or used as it is; the message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
}

/** One node's claim to be alive. Deliveries are leased to it, and all those leases end with it. */
export interface NodeLease {
  readonly nodeId: number
}

export interface EventToStore {
  /** From {@link Storage.reserveEventIds}. */
  readonly id: number
  readonly workspaceId: number
  readonly type: string
  /** The publisher's own id in canonical form, or `null`. */
  readonly broughtId: string | null
  /** When `broughtId` was derived by this store: the row it names. A publisher may repeat an id we gave it. */
  readonly broughtRowId: number | null
  /** Hash of what was published, to tell a repeat from another event under the same id; `null` without `broughtId`. */
  readonly fingerprint: Uint8Array | null
  readonly body: string
  readonly createdAt: number
}

export type PublishResult =
  | {
      readonly outcome: 'accepted'
      /** For each event in order: `null`, or the row that an earlier publish under the same id made. */
      readonly repeats: readonly (Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'> | null)[]
      /** How many deliveries the batch made. */
      readonly deliveries: number
      /**
       * Deliveries leased to the node, with the position of their event in the batch: in the order of events, and
       * within one of webhooks.
       */
      readonly leased: readonly (LeasedRef & { readonly event: number })[]
      /** Webhooks that got deliveries which no node holds. */
      readonly unleased: readonly number[]
    }
  /** Nothing of the batch was kept: the event at this position has an id that another event has. */
  | { readonly outcome: 'id_conflict'; readonly event: number }

export interface LeasedRef {
  readonly deliveryId: number
  readonly webhookId: number
  readonly webhookVersion: number
}

export interface AttemptToRecord {
  readonly deliveryId: number
  readonly webhookId: number
  readonly attempt: Attempt
  readonly next:
    | { readonly status: 'delivered' | 'failed' | 'dead'; readonly nextAttemptAt: null }
    | { readonly status: 'pending'; readonly nextAttemptAt: number }
  readonly signal: HealthSignal
  /** Position in `healthPolicies`. */
  readonly healthPolicy: number
}

export interface RecordResult {
  /** Deliveries whose lease this node no longer held: nothing was recorded for them. In the order of the results. */
  readonly lost: readonly number[]
  /** In the order in which the results first named them. */
  readonly switchedOff: readonly { readonly webhookId: number; readonly reason: OffReason }[]
  readonly notifications: readonly Notification[]
}

/** `remaining`: how many more the limit allows right now; `null` without a limit. */
export type ManualSendResult =
  | { readonly outcome: 'accepted'; readonly delivery: DeliveryRecord; readonly remaining: number | null }
  | { readonly outcome: 'not_found' }
  /** The webhook is off or paused. */
  | { readonly outcome: 'webhook_not_on'; readonly status: 'off' | 'paused' }
  /** The delivery is not in a state that this starts from. */
  | { readonly outcome: 'wrong_status'; readonly status: DeliveryRecord['status'] }
  | { readonly outcome: 'rate_limited'; readonly retryAfterMs: number }

export type WebhookUpdate =
  | { readonly outcome: 'updated'; readonly webhook: Webhook }
  /** The webhook is off and its pause was asked for alone: nothing was changed. */
  | { readonly outcome: 'off' }

/** At most `max` manual sends of a workspace in any `windowMs`. */
export interface ManualSendLimit {
  readonly max: number
  readonly windowMs: number
}

export interface Page {
  readonly limit: number
  /** Rows older than this row; `null`: from the newest. */
  readonly before: number | null
}

/**
 * The store, in the words of the domain. Calls take and give sets where the hot path needs them. Every call is one
 * transaction: it happens whole or not at all, and once it has resolved it survives a power cut, and every call made
 * after that sees it. Calls made at once may take effect in any order.
 * Any call rejects with {@link StoreUnavailableError} when the store cannot take it.
 */
export interface Storage {
  /** Scrambles derived ids; made with the store. */
  readonly idKey: IdKey

  // Nodes and leases
  registerNode(params: { leaseMs: number }): Promise<NodeLease>
  /** @returns false when the lease had run out and another node took the deliveries: register anew. */
  renewNode(params: { nodeId: number; leaseMs: number }): Promise<boolean>
  /** Gives back everything the node holds and ends it. */
  retireNode(params: { nodeId: number }): Promise<void>
  /** Frees deliveries of nodes whose lease ran out. @returns how many. */
  rescueDeliveries(params: { byNodeId: number }): Promise<number>

  // Hot path
  /** @returns the first of `count` consecutive ids that nobody else gets. */
  reserveEventIds(params: { count: number }): Promise<number>
  /**
   * Each batch is kept whole or refused whole; results are in the order of `batches`. A delivery is as old as its
   * event. A node that is gone gets nothing leased.
   */
  publish(params: {
    nodeId: number
    batches: readonly (readonly EventToStore[])[]
    /** How many deliveries the node has room for; the rest stay unleased, due now. */
    room: number
    /** Webhooks whose deliveries the node does not want leased. */
    withhold: readonly number[]
  }): Promise<readonly PublishResult[]>
  /**
   * Leases due deliveries, turn by turn over webhooks, oldest first within one. Webhooks that are not on, or whose
   * earlier deliveries are still being canceled, have no turn.
   */
  claimDue(params: {
    nodeId: number
    now: number
    limit: number
    perWebhook: number
    /** Webhooks to leave out. */
    except: readonly number[]
    /** Where the last call ended; 0 at first. */
    afterWebhookId: number
  }): Promise<{
    readonly deliveries: readonly LeasedDelivery[]
    /** Webhooks that have more due deliveries than were taken. */
    readonly more: readonly number[]
    /** For the next call; 0 once all webhooks had their turn. */
    readonly nextAfterWebhookId: number
    /** When the next delivery falls due, as far as this call saw; `null`: none is waiting. */
    readonly nextDueAt: number | null
  }>
  /**
   * Records attempts of deliveries leased to the node, moves webhooks' health on, ends the leases. Results count in
   * their order. A delivery that was canceled in flight becomes delivered if its attempt succeeded, and stays
   * canceled if it failed.
   */
  recordAttempts(params: {
    nodeId: number
    now: number
    healthPolicies: readonly HealthPolicy[]
    results: readonly AttemptToRecord[]
  }): Promise<RecordResult>
  /** Gives back deliveries without an attempt. */
  releaseDeliveries(params: { nodeId: number; deliveryIds: readonly number[] }): Promise<void>
  /** Deleted webhooks are left out. */
  loadTargets(params: { webhookIds: readonly number[] }): Promise<readonly SendingTarget[]>

  // Upkeep, in bounded steps; each returns how many rows it handled
  /** Ends deliveries of webhooks that are off or deleted. */
  cancelDeliveries(params: { now: number; limit: number }): Promise<number>
  /**
   * Removes what was made before `before` and is not leased, replaced secrets whose overlap ended by `now`, and what is
   * left of webhooks and workspaces that were deleted before `before`.
   */
  deleteExpired(params: { before: number; now: number; limit: number }): Promise<number>

  // Workspaces, members, keys
  /** @returns `null` when another workspace of the dialect has the slug. */
  createWorkspace(params: {
    publicId: string
    dialect: string
    slug: string
    name: string
    now: number
  }): Promise<Workspace | null>
  /** @param ref public id or slug; @param dialect `null`: any, but then a slug that two dialects use names none */
  getWorkspace(params: { ref: string; dialect: string | null }): Promise<Workspace | null>
  listWorkspaces(params: Page): Promise<readonly Workspace[]>
  /** @returns the webhooks whose status this changed. */
  suspendWorkspace(params: { workspaceId: number; suspendedAt: number | null }): Promise<readonly number[]>
  /** @returns the webhooks that went with it. */
  deleteWorkspace(params: { workspaceId: number; now: number }): Promise<readonly number[]>
  /** @returns `null` when the workspace is gone or has a member with that address, in whatever case. */
  createMember(params: {
    publicId: string
    workspaceId: number
    email: string
    name: string
    role: Role
    now: number
  }): Promise<Member | null>
  getMember(params: { workspaceId: number; publicId: string }): Promise<Member | null>
  getMemberById(params: { workspaceId: number; memberId: number }): Promise<Member | null>
  listMembers(params: { workspaceId: number } & Page): Promise<readonly Member[]>
  deleteMember(params: { workspaceId: number; publicId: string }): Promise<boolean>
  /** @returns `null` when the workspace or the member is gone. */
  createKey(params: {
    publicId: string
    workspaceId: number
    memberId: number | null
    name: string
    scopes: readonly string[]
    hash: Uint8Array
    expiresAt: number | null
    now: number
  }): Promise<ApiKey | null>
  /** Also finds keys that were revoked or have run out: the caller judges. */
  findKey(params: {
    hash: Uint8Array
  }): Promise<{ readonly key: ApiKey; readonly workspace: Workspace } | null>
  getKey(params: { workspaceId: number; publicId: string }): Promise<ApiKey | null>
  listKeys(params: { workspaceId: number } & Page): Promise<readonly ApiKey[]>
  revokeKey(params: { workspaceId: number; publicId: string; now: number }): Promise<ApiKey | null>
  touchKeys(params: { uses: readonly { readonly keyId: number; readonly at: number }[] }): Promise<void>

  // Webhooks
  createWebhook(params: {
    publicId: string
    workspaceId: number
    url: string
    eventTypes: readonly string[]
    description: string
    createdBy: Creator
    sealedSecret: Uint8Array
    /** `null`: no limit. */
    maxWebhooks: number | null
    now: number
  }): Promise<
    | { readonly outcome: 'created'; readonly webhook: Webhook }
    | { readonly outcome: 'limit_reached' }
    | { readonly outcome: 'workspace_not_found' }
  >
  getWebhook(params: { workspaceId: number; publicId: string }): Promise<Webhook | null>
  listWebhooks(params: { workspaceId: number } & Page): Promise<readonly Webhook[]>
  /**
   * Absent members stay. Switching off cancels what is pending; switching on ends the spell of failing, which resuming
   * does not. The switches are weighed against the status of that very moment. A change that changes nothing leaves
   * the version alone.
   */
  updateWebhook(params: {
    workspaceId: number
    webhookId: number
    changes: {
      readonly url?: string
      readonly eventTypes?: readonly string[]
      readonly description?: string
    } & Switches
    now: number
  }): Promise<WebhookUpdate | null>
  deleteWebhook(params: { workspaceId: number; webhookId: number; now: number }): Promise<boolean>
  rotateSecret(params: {
    workspaceId: number
    webhookId: number
    sealedSecret: Uint8Array
    /** How long the replaced secret goes on signing. */
    overlapMs: number
    now: number
  }): Promise<Webhook | null>

  // The log
  listDeliveries(params: { webhookId: number } & Page): Promise<readonly DeliveryRecord[]>
  getDelivery(params: { workspaceId: number; deliveryId: number }): Promise<DeliveryRecord | null>
  /** The newest events of a type, newest first. At most 3 are kept at hand. */
  latestEvents(params: { workspaceId: number; type: string }): Promise<readonly StoredEvent[]>
  listNotifications(params: Page): Promise<readonly Notification[]>
  /** Oldest first: what a notifier still has to tell, also after a crash. */
  unsentNotifications(params: { limit: number }): Promise<readonly Notification[]>
  markNotificationsSent(params: { notificationIds: readonly number[]; now: number }): Promise<void>

  // Sends that people ask for
  /** Makes one delivery of a new event to one webhook. */
  sendTest(params: {
    event: EventToStore
    webhookId: number
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /** Makes a finished delivery pending, due now. One canceled in flight counts as pending until its attempt ended. */
  resend(params: {
    workspaceId: number
    deliveryId: number
    trigger: Extract<Trigger, 'redeliver' | 'replay'>
    /** Statuses from which it may start. */
    from: readonly DeliveryRecord['status'][]
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>

  /** Rejects when a publish would not be accepted. */
  check(): Promise<void>
  close(): Promise<void>
}
