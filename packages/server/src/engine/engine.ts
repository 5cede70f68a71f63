import type { EventType } from '../core/catalog.ts'
import type { EnabledState } from '../core/enabledState.ts'
import type { OwnIdKind } from '../core/ownIds.ts'
import type { QuotaExceeded } from '../core/quotas.ts'
import type { WaitReason } from '../core/waiting.ts'
import type { AuditActor } from '../storage/auditRows.ts'
import type {
  Creator,
  DeliveryRecord,
  NewWebhook,
  Replay,
  Webhook,
  WebhookFields,
  Workspace,
} from '../storage/rows.ts'
import type {
  CreateReplayResult,
  IdempotencyRecord,
  ManualSendResult,
  OtherVersion,
  PendingDelivery,
  QueueState,
  ReplayFilter,
  RetryWebhookResult,
  StoreOpenError,
  WebhookDeletion,
  WebhookUpdate,
} from '../storage/storage.ts'
import type { PublishTrace } from './log/tracing.ts'
import type { Backlog } from './manage/backlogEstimator.ts'

/** Whether our network works. */
export interface EgressState {
  /** Since when this node holds sending because it can reach no receiver; Unix ms. `null`: it sends. */
  readonly heldSince: number | null
  /** Since when no node at all sends; `null`: one does. */
  readonly allHeldSince: number | null
}

/** What a response shows of a new secret, or why it omits it. */
export interface ShownSecret {
  /** `null`: it is omitted, or receivers verify with the public key and need no secret. */
  readonly secret: string | null
  /** `null`: it is omitted, or the profile has no Ed25519 signature. */
  readonly publicKey: string | null
  readonly omitted: 'expired' | 'rotated' | null
}

/** A valid event that is about to be stored. */
export interface EventToPublish {
  readonly type: string
  /** In the canonical form of the dialect; `null`: the engine creates one. */
  readonly broughtId: string | null
  /** SHA-256 of a canonical form of the event, to compare repeats under one `broughtId`; `null` without one. */
  readonly fingerprint: Uint8Array | null
  /** Builds the body once the event's id is known. @param acceptedAt Unix ms, for events without a time */
  readonly compose: (eventId: string, acceptedAt: number) => string
}

export interface PublishedEvent {
  readonly id: string
  /** True when this id was published before: nothing is sent again. */
  readonly repeated: boolean
}

export type PublishOutcome =
  | { readonly outcome: 'accepted'; readonly events: readonly PublishedEvent[] }
  /** The event at this position has the id of another event; nothing of the batch was stored. */
  | { readonly outcome: 'id_conflict'; readonly event: number }
  /** Nothing of the batch was stored. */
  | QuotaExceeded

/** Which deliveries start over, and why. */
export interface ReplayInput extends Omit<ReplayFilter, 'workspaceId'>, Pick<Replay, 'trigger'> {
  /** For the audit log. */
  readonly webhookPublicId: string | null
  /** How many missed events of the webhook are sent as well; `null` or left out: none. */
  readonly missedCount?: number | null
}

export interface ReplayCount {
  readonly count: number
  /** Whether more may match than can start over at a time, or than a count looks at. */
  readonly more: boolean
}

export type ReplayOutcome = Exclude<CreateReplayResult, { readonly outcome: 'full' }> | QuotaExceeded

/** Makes a call idempotent. The engine adds the response for repeats. */
export type IdempotencyKey = Omit<IdempotencyRecord, 'responseData' | 'responseDataUntil'>

/** Who makes a change. Every change is written to the audit log, in the same transaction. */
export interface By {
  readonly actor: AuditActor
  readonly requestId: string
  readonly idempotency: IdempotencyKey | null
}

export type CreateWebhookOutcome =
  | { readonly outcome: 'created'; readonly webhook: Webhook; readonly shown: ShownSecret }
  | { readonly outcome: 'limit_reached'; readonly max: number }
  /** The workspace was deleted in the meantime. */
  | { readonly outcome: 'workspace_not_found' }

export type RotateSecretOutcome =
  | { readonly outcome: 'rotated'; readonly webhook: Webhook; readonly shown: ShownSecret }
  | OtherVersion

/** The request of one attempt, as it was sent. */
export interface SentRequestRecord {
  /** Number of the attempt. */
  readonly number: number
  readonly method: 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Only people disable a webhook through this; attempts disable webhooks in the store. */
export interface WebhookUpdateInput extends Partial<WebhookFields>, EnabledState {}

type NewIdKind = 'workspace' | 'member' | 'session' | 'webhook' | 'key' | 'replay'

/** Ids of rows without a column for them. */
export interface PublicIds {
  readonly event: (workspace: Workspace, row: EventRef) => string
  readonly delivery: (
    workspace: Workspace,
    row: { readonly id: number; readonly createdAt: number },
  ) => string
  /** @returns the row id, or `null` if this store never made such an id. */
  readonly parseDelivery: (workspace: Workspace, id: string) => number | null
  /** @returns the keys for looking up an event; both `null` if no event can have the id. */
  readonly parseEvent: (
    workspace: Workspace,
    id: string,
  ) => { readonly broughtId: string | null; readonly rowId: number | null }
  /** A new id of a kind that has a column. */
  readonly create: (dialect: string, kind: NewIdKind) => string
  /** A new id of an object that belongs to no service. */
  readonly createOwn: (kind: OwnIdKind) => string
}

interface EventRef {
  readonly id: number
  readonly broughtId: string | null
  readonly createdAt: number
}

/**
 * The interface to everything that happens to deliveries. Callers have checked permissions and input. The engine keeps the
 * sender consistent with every change, so changes to webhooks and workspaces never go to the store directly. Every call rejects
 * with `StoreUnavailableError` while the store is unavailable, and with `StoppingError` while stopping.
 */
export interface Engine {
  readonly ids: PublicIds
  /** Resolves when this program can no longer work with the store and must stop. */
  readonly refused: Promise<StoreOpenError>
  readonly load: EngineLoad
  /** Whether this node may take and send deliveries now. */
  readonly leaseValid: boolean
  readonly clock: ClockState
  readonly egress: EgressState
  /** This node's id in the store, shown to people. It changes when the node loses its lease. */
  readonly nodeId: number
  /** Services were added, changed or removed. */
  profilesChanged(): void
  /** Whether due deliveries of this webhook wait on this node because of a fault of ours. */
  waitsForSender(webhookId: number): boolean
  /** The backlog that a webhook's rate limit causes; `null`: it has no limit. */
  backlogOf(webhook: Webhook): Promise<Backlog | null>
  /** The queue of the whole store, at most five seconds old. */
  queue(): Promise<QueueState>
  whyPending(pending: PendingDelivery): WaitReason
  start(): Promise<void>
  /** From now on `check` rejects, so that proxies send requests to other nodes. Everything else works until `stop`. */
  announceStop(): void
  /** Whether this node is stopping, or is about to. */
  readonly stopping: boolean
  /** Accepts no more work, lets attempts in flight finish, releases leases. */
  stop(): Promise<void>
  /** Rejects when a publish would not be accepted. The store is checked at most once a second. */
  check(): Promise<void>

  /** The quota that forbids a workspace to publish now; `null`: none. */
  quotaExceeded(workspace: Workspace): QuotaExceeded | null
  /**
   * For changes that only the store needs to know: counts one for the workspace.
   * @throws StoppingError, QuotaExceededError
   */
  acceptChange(workspace: Workspace, by: By): void
  /**
   * Resolves once the events and their deliveries are stored durably. Removes the events from the list.
   * @param trace of the publish request; `null` or left out: there is none
   */
  publish(
    workspace: Workspace,
    events: EventToPublish[],
    idempotency: IdempotencyKey | null,
    trace?: PublishTrace | null,
  ): Promise<PublishOutcome>

  createWebhook(
    input: NewWebhook & { readonly workspace: Workspace; readonly createdBy: Creator },
    by: By,
  ): Promise<CreateWebhookOutcome>
  /** @param ifVersions changes it only if it has one of these versions; `null`: any */
  updateWebhook(
    workspace: Workspace,
    webhook: Webhook,
    changes: WebhookUpdateInput,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookUpdate | null>
  deleteWebhook(
    workspace: Workspace,
    webhook: WebhookKey,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookDeletion | null>
  rotateSecret(
    workspace: Workspace,
    webhook: WebhookKey,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<RotateSecretOutcome | null>
  suspendWorkspace(workspace: Workspace, suspended: boolean, by: By): Promise<void>
  deleteWorkspace(workspace: Workspace, by: By): Promise<void>

  /** Sends the service's own test event, or the example of another type, to one webhook. */
  sendTest(workspace: Workspace, webhook: Webhook, type: EventType, by: By): Promise<ManualSendResult>
  /** Sends a finished delivery again. */
  redeliver(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Starts a dead delivery over with a full schedule. */
  replay(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Makes the next attempt of a pending delivery now. */
  retryDelivery(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Makes the next attempts of all pending deliveries of a webhook now, at the speed of its receiver. */
  retryWebhook(workspace: Workspace, webhook: Webhook, by: By): Promise<RetryWebhookResult>
  countReplayable(workspace: Workspace, input: ReplayInput, max: number): Promise<ReplayCount>
  /** Starts many deliveries over, step by step. @param max how many at most */
  startReplay(workspace: Workspace, input: ReplayInput, max: number, by: By): Promise<ReplayOutcome>
  /** Stops a replay. @returns its state then; `null`: it no longer exists */
  cancelReplay(workspace: Workspace, replay: Replay, by: By): Promise<Replay | null>
  /** The requests of the attempts in the record, oldest first. */
  sentRequests(workspace: Workspace, delivery: DeliveryRecord): Promise<readonly SentRequestRecord[]>
}

/** This node's view of the clock. */
export interface ClockState {
  /** Whether it was right for long enough to delete expired data. */
  readonly steady: boolean
  /** How far it has jumped ahead since it was last steady, in ms. */
  readonly aheadMs: number
  /** How far the time that nodes share is ahead of this machine's, in ms. */
  readonly aheadOfMachineMs: number
}

/** What this node has in progress. */
export interface EngineLoad {
  /** Attempts. */
  readonly inFlight: number
  /** Deliveries in memory that wait for their turn. */
  readonly waiting: number
}

export type WebhookKey = Pick<Webhook, 'id' | 'publicId'>

/** The process is shutting down and accepts no more work. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
}
