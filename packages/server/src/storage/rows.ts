import type { Cause } from '../core/cause.ts'
import type { AttemptErrorCode, CancelReason, DeliveryStatus, RunTrigger, Trigger } from '../core/delivery.ts'
import type { WebhookStatus } from '../core/enabledState.ts'
import type { EarlyPolicy, OffReason } from '../core/health.ts'
import { NO_LIMIT, type WebhookLimit } from '../core/limit.ts'

// Times are Unix milliseconds. `id` is the store's integer key; `publicId` is the id in APIs.

export interface Workspace {
  readonly id: number
  readonly publicId: string
  readonly dialect: string
  readonly slug: string
  readonly name: string
  /** While suspended, every webhook of the workspace is paused. */
  readonly suspendedAt: number | null
  readonly createdAt: number
}

export const ROLES = ['owner', 'editor', 'viewer'] as const
export type Role = (typeof ROLES)[number]

export interface Member {
  readonly id: number
  readonly publicId: string
  readonly workspaceId: number
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Whether the member gets warnings of their own failing webhooks; e-mails about disabled ones are always sent. */
  readonly failingWarnings: boolean
  /**
   * Whether the identity provider's claims created the role, and not people: it then counts only in sessions that started
   * there.
   */
  readonly fromProvider: boolean
  readonly createdAt: number
}

export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly workspaceId: number
  /** The member who made it, if any. */
  readonly memberId: number | null
  readonly memberPublicId: string | null
  /** The present role of that member. */
  readonly memberRole: Role | null
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** Has the rights of `POSTHORN_ADMIN_TOKEN` until it is revoked or expires. */
export interface AdminToken {
  readonly id: number
  readonly publicId: string
  readonly name: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
}

/** A member who is signed in. */
export interface Session {
  readonly id: number
  readonly publicId: string
  readonly createdAt: number
  readonly expiresAt: number
}

/** A person who runs the service, with the rights of the admin token. */
export interface Operator {
  readonly id: number
  readonly publicId: string
  readonly email: string
  readonly name: string
  /** As for a {@link Member}. */
  readonly fromProvider: boolean
  readonly createdAt: number
}

/** A session of the console. */
export interface BrowserSession {
  readonly id: number
  readonly publicId: string
  /** The person who has this address now is signed in; `null`: signed in with the admin token. */
  readonly email: string | null
  /** Whether the identity provider signed the person in. */
  readonly byProvider: boolean
  readonly createdAt: number
  readonly expiresAt: number
}

/** A member, and their workspace. */
export interface Membership {
  readonly member: Member
  readonly workspace: Workspace
}

/** Signs one person in, once. */
export interface SignInLink {
  readonly id: number
  /** Who delivers it: an e-mail, the operator, or a product of the operator in which the member works. */
  readonly kind: 'email' | 'operator' | 'portal'
  /** `null`: it is for one member. */
  readonly email: string | null
  /** `null`: it is for an address. */
  readonly memberId: number | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
}

/** The settings of a webhook, which may be changed later. */
export interface WebhookFields extends WebhookLimit {
  readonly url: string
  /** Event types it receives; empty: every subscribable type. */
  readonly eventTypes: readonly string[]
  readonly description: string
  /** When its owners are warned that it is failing; `null`: the default of its service. */
  readonly warn: EarlyPolicy | null
  /** Until then early warnings are snoozed; `null`: they are not. */
  readonly snoozedUntil: number | null
}

/** The defaults of a new webhook. */
export const WEBHOOK_DEFAULTS: Omit<WebhookFields, 'url'> = {
  eventTypes: [],
  description: '',
  ...NO_LIMIT,
  warn: null,
  snoozedUntil: null,
}

/** Absent members have the {@link WEBHOOK_DEFAULTS}. */
export type NewWebhook = Pick<WebhookFields, 'url'> & Partial<WebhookFields>

export interface Webhook extends WebhookFields {
  readonly id: number
  readonly publicId: string
  readonly workspaceId: number
  /** The effective status: a webhook of a suspended workspace that would be on is `paused`. */
  readonly status: WebhookStatus
  readonly offReason: OffReason | null
  /** Since when nothing is published to it because it is off or paused; `null` while it is on. */
  readonly stoppedAt: number | null
  readonly failingSince: number | null
  /** Since when it counts as failing, so that its owners were warned; `null`: it does not. */
  readonly alertedAt: number | null
  readonly createdBy: Creator
  readonly createdAt: number
  readonly updatedAt: number
  /** Increases with every change that a sender or an editor must notice. */
  readonly version: number
}

/** Orders webhooks by how much they need attention: failing 0, off 1, paused 2, on 3. */
export function attentionRank({ status, failingSince }: Pick<Webhook, 'status' | 'failingSince'>): number {
  if (status === 'on') return failingSince === null ? 3 : 0
  return status === 'off' ? 1 : 2
}

export interface Creator {
  readonly type: 'member' | 'key'
  readonly publicId: string
}

export interface SealedSecret {
  readonly sealed: Uint8Array
  /** `null`: the current one. */
  readonly expiresAt: number | null
}

/** The secrets of a webhook that sign. */
export interface SigningSecrets {
  readonly dialect: string
  /** Newest first. */
  readonly secrets: readonly SealedSecret[]
}

/** The facts that the sender needs of a webhook. */
export interface SendingTarget extends WebhookLimit {
  readonly id: number
  readonly workspaceId: number
  readonly publicId: string
  readonly version: number
  readonly dialect: string
  readonly workspaceSlug: string
  readonly url: string
  readonly status: WebhookStatus
  /** Newest first; expired ones may be among them. */
  readonly secrets: readonly SealedSecret[]
}

/** A webhook and its workspace. */
export interface WebhookRef {
  readonly webhookId: number
  readonly workspaceId: number
}

/** A delivery that this node may attempt: no other node may while the lease lasts. */
export interface LeasedDelivery extends WebhookRef {
  readonly id: number
  /** See `DeliveryLease`. */
  readonly lease: number
  /** The webhook's version when the lease was taken. */
  readonly webhookVersion: number
  readonly eventId: number
  /** The event's public id; `null`: it has to be derived. */
  readonly eventPublicId: string | null
  readonly eventType: string
  readonly body: string
  readonly createdAt: number
  /** The event's, see `EventToStore`. */
  readonly traceparent: string | null
  readonly attempts: number
  readonly trigger: RunTrigger
  readonly runStart: number
  readonly retryNumber: number | null
  /** The bulk replay that started its run; `null`: none. */
  readonly replayId: number | null
}

export interface Attempt {
  readonly number: number
  readonly trigger: Trigger
  /** The versions that it was sent under, see `sentUnder`; `null` in logs of earlier releases. */
  readonly webhookVersion: number | null
  readonly startedAt: number
  readonly durationMs: number
  readonly statusCode: number | null
  readonly errorCode: AttemptErrorCode | null
  readonly errorMessage: string | null
  /** The cause of a failure; `null` for a success, and in logs of earlier releases. */
  readonly cause: Cause | null
  readonly contentType: string | null
  /** As received, at most 2 KB; any bytes. */
  readonly responseBody: Uint8Array | null
}

/** A delivery in the form of the log. */
export interface DeliveryRecord {
  readonly id: number
  readonly webhookId: number
  readonly webhookPublicId: string
  readonly eventId: number
  readonly broughtEventId: string | null
  readonly eventType: string
  readonly status: DeliveryStatus
  /** `null`: it is not canceled. */
  readonly cancelReason: CancelReason | null
  /** Oldest first; of many, the newest. */
  readonly attempts: readonly Attempt[]
  readonly nextAttemptAt: number | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** The inputs of one attempt's request. */
export interface SentRequest {
  readonly number: number
  readonly startedAt: number
  /** 0: the profile is built in. */
  readonly profileVersion: number
  readonly url: string
  /** The secrets that signed it, encrypted, newest first. */
  readonly secrets: readonly Uint8Array[]
  readonly event: StoredEvent
}

export interface StoredEvent {
  readonly id: number
  readonly broughtId: string | null
  readonly type: string
  readonly body: string
  readonly createdAt: number
}

export const ALERT_TYPES = [
  'webhook.failing',
  'webhook.recovered',
  'webhook.disabled',
  'delivery.exhausted',
] as const
export type AlertType = (typeof ALERT_TYPES)[number]

/** An operational event of a webhook. */
export interface Alert {
  readonly id: number
  /** Random and unique. */
  readonly alertKey: string
  readonly type: AlertType
  readonly workspace: Workspace
  /** `null`: it is about several. */
  readonly webhook: Pick<Webhook, 'publicId' | 'url' | 'description'> | null
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: number
}

/** A notification by e-mail. */
export interface Notification {
  readonly id: number
  /** Random and unique: the id of the message in all systems. */
  readonly messageKey: string
  readonly kind: 'webhook_off' | 'webhook_failing' | 'webhook_alerts' | 'sign_in'
  /** `null`, like the webhook, for a sign-in link: it belongs to an address, not to a workspace. */
  readonly workspaceId: number | null
  readonly webhookId: number | null
  /** The recipient: who added the webhook, or the member the API key was created for; `null` when there is none. */
  readonly memberId: number | null
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: number
  /** How often it was claimed for sending. */
  readonly attempts: number
  /** Why the last attempt to send it failed. */
  readonly lastError: string | null
  readonly sentAt: number | null
  readonly givenUpAt: number | null
}

/** At most this many e-mails within an hour say that a webhook was disabled. */
export const MAX_RECENT_OFFS = 3

/** A notification that only one node may send while its claim is valid, and the present facts about it. */
export interface ClaimedNotification extends Notification {
  /** `null`: it has no recipient, or no longer has one. */
  readonly toEmail: string | null
  readonly memberName: string | null
  readonly failingWarnings: boolean
  /** Only for the recipient: the token of a sign-in link, encrypted. */
  readonly sealed: Uint8Array | null
  /** It is useless from then on; `null`: never. */
  readonly expiresAt: number | null
  readonly workspace: Pick<Workspace, 'slug' | 'name' | 'dialect'> | null
  /** Since when the webhook has been failing; `null` also when it is off or deleted. */
  readonly webhookFailingSince: number | null
  /**
   * How many e-mails within the hour before said, or will say, that the webhook was disabled; counted up to {@link
   * MAX_RECENT_OFFS}.
   */
  readonly recentOffs: number
}

/** The deliveries that a bulk replay starts over: those that ended without success. */
export type ReplayedStatus = Extract<DeliveryStatus, 'failed' | 'dead' | 'canceled'>

/** A bulk replay of dead deliveries, or a recovery of one webhook. */
export interface Replay {
  readonly id: number
  readonly publicId: string
  readonly trigger: Extract<RunTrigger, 'replay' | 'recover'>
  /** `null`: of every webhook of the workspace. */
  readonly webhookId: number | null
  readonly webhookPublicId: string | null
  readonly statuses: readonly ReplayedStatus[]
  /** Empty: of every type. */
  readonly eventTypes: readonly string[]
  readonly from: number | null
  readonly to: number | null
  /** How many deliveries matched when it was requested. */
  readonly total: number
  /** How many it has made pending. */
  readonly replayed: number
  /** Of these, how many arrived. */
  readonly delivered: number
  /** Of these, how many ended without success again. */
  readonly failed: number
  readonly createdAt: number
  /** When it made the last one pending; `null`: not yet. */
  readonly finishedAt: number | null
  /** When the last one had ended; `null`: not yet. */
  readonly doneAt: number | null
  readonly canceledAt: number | null
}

/** A retry of all pending deliveries of a webhook. */
export interface WebhookRetry {
  readonly askedAt: number
  /** Deliveries that it requested and that arrived. */
  readonly delivered: number
  /** Waiting deliveries of the webhook, counted up to a bound. */
  readonly pending: number
  /** Whether more wait than were counted. */
  readonly more: boolean
  /** How it ended: nothing was left, a delivery failed, or the webhook was no longer on. `null`: it is running. */
  readonly outcome: 'done' | 'failed' | 'stopped' | null
  readonly endedAt: number | null
}

/** A signing secret as it is stored. */
export interface Sealed {
  readonly sealed: Uint8Array
  /** The public id that it is bound to. */
  readonly owner: string
}

/** A named position in the feed of a workspace, which acknowledgements move forward. */
export interface Consumer {
  readonly id: number
  readonly workspaceId: number
  readonly name: string
  /** `null`: it reads events of all types. */
  readonly eventTypes: readonly string[] | null
  /** Of the last event that was acknowledged or skipped because it did not match. */
  readonly position: readonly number[]
  /** How often a seek moved it, plus one. */
  readonly generation: number
  /** Events that the retention removed before they were acknowledged; on PostgreSQL a lower bound. */
  readonly lost: number
  /** Those of them that the reader has acknowledged as lost. */
  readonly lostSeen: number
  /** When events were last lost. */
  readonly lostAt: number | null
  readonly createdAt: number
  readonly acknowledgedAt: number | null
  /** When it was last moved by a seek. */
  readonly movedAt: number | null
}
