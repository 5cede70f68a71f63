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
import type { Backlog } from './manage/backlogs.ts'

/** Whether our way out is open. */
export interface EgressState {
  /** Since when this node holds sending, since it can reach no receiver; Unix ms. `null`: it does not. */
  readonly heldSince: number | null
  /** Since when no node at all sends; `null`: one does. */
  readonly nobodySendsSince: number | null
}

/** What an answer shows of a new secret, or why it omits it. */
export interface ShownSecret {
  /** `null`: it is omitted, or receivers verify with the public key and need none. */
  readonly secret: string | null
  /** `null`: it is omitted, or the profile has no Ed25519 signature. */
  readonly publicKey: string | null
  readonly omitted: 'expired' | 'rotated' | null
}

/** An event that was found valid and waits to be stored. */
export interface EventToPublish {
  readonly type: string
  /** In the canonical form of the dialect; `null`: the engine makes one. */
  readonly broughtId: string | null
  /** SHA-256 of what the publisher said, in a form that is equal for equal events under one `broughtId`; `null` without one. */
  readonly fingerprint: Uint8Array | null
  /** Makes the body once the event's id is known. @param acceptedAt Unix ms, for events that name no time */
  readonly compose: (eventId: string, acceptedAt: number) => string
}

export interface PublishedEvent {
  readonly id: string
  /** True when this id was published before: nothing new is sent. */
  readonly repeated: boolean
}

export type PublishOutcome =
  | { readonly outcome: 'accepted'; readonly events: readonly PublishedEvent[] }
  /** The event at this position carries the id of another event; nothing of the batch was kept. */
  | { readonly outcome: 'id_conflict'; readonly event: number }
  /** Nothing of the batch was kept. */
  | QuotaExceeded

/** Which deliveries start over, and what for. */
export interface ReplayInput extends Omit<ReplayFilter, 'workspaceId'>, Pick<Replay, 'trigger'> {
  /** For the audit log. */
  readonly webhookPublicId: string | null
  /** How many events the webhook missed, which are sent too; `null` or left out: none is. */
  readonly missedCount?: number | null
}

export interface ReplayCount {
  readonly count: number
  /** Whether more may match: than may start over at a time, or than a count looks at. */
  readonly more: boolean
}

export type ReplayOutcome = Exclude<CreateReplayResult, { readonly outcome: 'full' }> | QuotaExceeded

/** Makes a call happen at most once. The engine adds what a repeat gets. */
export type IdempotencyKey = Omit<IdempotencyRecord, 'responseData' | 'responseDataUntil'>

/** Who changes something. Every change is noted in the audit log, in the transaction that makes it. */
export interface By {
  readonly actor: AuditActor
  readonly requestId: string
  readonly idempotency: IdempotencyKey | null
}

export type CreateWebhookOutcome =
  | { readonly outcome: 'created'; readonly webhook: Webhook; readonly shown: ShownSecret }
  | { readonly outcome: 'limit_reached'; readonly max: number }
  /** The workspace was removed meanwhile. */
  | { readonly outcome: 'workspace_not_found' }

export type RotateSecretOutcome =
  | { readonly outcome: 'rotated'; readonly webhook: Webhook; readonly shown: ShownSecret }
  | OtherVersion

/** One attempt's request, as it went out. */
export interface SentRequestRecord {
  /** Number of the attempt. */
  readonly number: number
  readonly method: 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Disabling here is manual; attempts disable webhooks in the store. */
export interface WebhookUpdateInput extends Partial<WebhookFields>, EnabledState {}

type NewIdKind = 'workspace' | 'member' | 'session' | 'webhook' | 'key' | 'replay'

/** Ids of rows that have no column for them. */
export interface PublicIds {
  readonly event: (workspace: Workspace, row: EventRef) => string
  readonly delivery: (
    workspace: Workspace,
    row: { readonly id: number; readonly createdAt: number },
  ) => string
  /** @returns the row id, or `null` when this store never made such an id. */
  readonly parseDelivery: (workspace: Workspace, id: string) => number | null
  /** @returns what to look an event up by; both `null` when no event can have the id. */
  readonly parseEvent: (
    workspace: Workspace,
    id: string,
  ) => { readonly broughtId: string | null; readonly rowId: number | null }
  /** A new id of a kind that has a column. */
  readonly create: (dialect: string, kind: NewIdKind) => string
  /** A new id of what belongs to no service. */
  readonly createOwn: (kind: OwnIdKind) => string
}

interface EventRef {
  readonly id: number
  readonly broughtId: string | null
  readonly createdAt: number
}

/**
 * What deliveries go through. Callers have checked who asks and that the input is valid; the engine keeps the
 * sender in step with every change it makes, so changes to webhooks and workspaces never go to the store directly.
 * Every call rejects with `StoreUnavailableError` while the store takes nothing, and `StoppingError` while stopping.
 */
export interface Engine {
  readonly ids: PublicIds
  /** Resolves when this program can no longer work with the store: all that is left is to stop. */
  readonly refused: Promise<StoreOpenError>
  readonly load: EngineLoad
  /** Whether this node may take and send deliveries now. */
  readonly leaseValid: boolean
  readonly clock: ClockState
  readonly egress: EgressState
  /** This node's id in the store, shown to people. It changes when the node loses its lease. */
  readonly nodeId: number
  /** Profiles of services came, changed or went. */
  profilesChanged(): void
  /** Whether due deliveries of this webhook wait on this node for a fault of ours to end. */
  waitsForSender(webhookId: number): boolean
  /** What waits because of a webhook's limit; `null`: it has none. */
  backlogOf(webhook: Webhook): Promise<Backlog | null>
  /** The whole store's queue, counted five seconds ago at most. */
  queue(): Promise<QueueState>
  whyPending(pending: PendingDelivery): WaitReason
  start(): Promise<void>
  /** From now on `check` rejects, so that proxies send requests to other nodes. Everything else works until `stop`. */
  announceStop(): void
  /** Whether this node stops, or is about to. */
  readonly stopping: boolean
  /** Takes no more work, lets attempts in flight finish, releases leases. */
  stop(): Promise<void>
  /** Rejects when a publish would not be accepted. */
  check(): Promise<void>

  /** The quota that forbids a workspace to publish now; `null`: none does. */
  quotaExceeded(workspace: Workspace): QuotaExceeded | null
  /**
   * For changes that only the store must know of: counts one of the workspace.
   * @throws StoppingError, QuotaExceededError
   */
  admitChange(workspace: Workspace, by: By): void
  /**
   * Resolves once the events and their deliveries survive a power cut. Takes the events out of the list.
   * @param trace of the request that publishes; `null` or left out: it belongs to none
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
  /** @param ifVersions change it only if it has one of these; `null`: whatever it has */
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
  /** Sends a finished delivery once more. */
  redeliver(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Starts a dead delivery over with a full schedule. */
  replay(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Makes the next attempt of a pending delivery now. */
  retryDelivery(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult>
  /** Makes the next attempts of all that is pending for a webhook now, as its receiver answers. */
  retryWebhook(workspace: Workspace, webhook: Webhook, by: By): Promise<RetryWebhookResult>
  countReplayable(workspace: Workspace, input: ReplayInput, max: number): Promise<ReplayCount>
  /** Starts many deliveries over, step by step. @param max how many at most */
  startReplay(workspace: Workspace, input: ReplayInput, max: number, by: By): Promise<ReplayOutcome>
  /** Starts no more deliveries over. @returns it as it is then; `null`: it is gone */
  cancelReplay(workspace: Workspace, replay: Replay, by: By): Promise<Replay | null>
  /** The requests that the attempts of the record made, oldest first. */
  sentRequests(workspace: Workspace, delivery: DeliveryRecord): Promise<readonly SentRequestRecord[]>
}

/** What this node thinks of the clock. */
export interface ClockState {
  /** Whether it was right for long enough to delete by it. */
  readonly steady: boolean
  /** How far it has leapt ahead since it was last steady, in ms. */
  readonly aheadMs: number
  /** How far the time that nodes share is ahead of this machine's, in ms. */
  readonly aheadOfMachineMs: number
}

/** What this node has under way. */
export interface EngineLoad {
  /** Attempts. */
  readonly inFlight: number
  /** Deliveries that wait in memory for their turn. */
  readonly waiting: number
}

export type WebhookKey = Pick<Webhook, 'id' | 'publicId'>

/** The process is shutting down and takes no more work. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError'
}
