import type { AttemptErrorCode, DeliveryStatus, Trigger } from '../core/delivery.ts'
import type { OffReason } from '../core/health.ts'
import type { WebhookStatus } from '../core/switches.ts'

// Times are Unix milliseconds. `id` is the store's integer key; `publicId` is what the world sees.

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
  readonly createdAt: number
}

export interface ApiKey {
  readonly id: number
  readonly publicId: string
  readonly workspaceId: number
  /** The member who made it, if any. */
  readonly memberId: number | null
  readonly memberPublicId: string | null
  /** What that member is now. */
  readonly memberRole: Role | null
  readonly name: string
  readonly scopes: readonly string[]
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

export interface Webhook {
  readonly id: number
  readonly publicId: string
  readonly workspaceId: number
  readonly url: string
  /** Event types it receives; empty: every subscribable type. */
  readonly eventTypes: readonly string[]
  readonly description: string
  /** What holds now: a webhook of a suspended workspace that would be on is `paused`. */
  readonly status: WebhookStatus
  readonly offReason: OffReason | null
  readonly failingSince: number | null
  readonly createdBy: Creator
  readonly createdAt: number
  readonly updatedAt: number
  /** Goes up with every change that a sender or an editor must notice. */
  readonly version: number
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

/** What the sender must know of a webhook. */
export interface SendingTarget {
  readonly id: number
  readonly publicId: string
  readonly version: number
  readonly dialect: string
  readonly url: string
  readonly status: WebhookStatus
  /** Newest first; expired ones may be among them. */
  readonly secrets: readonly SealedSecret[]
}

/** A delivery that this node may attempt: nobody else may while the lease holds. */
export interface LeasedDelivery {
  readonly id: number
  /** See `HeldDelivery`. */
  readonly lease: number
  readonly webhookId: number
  /** The webhook's version when the lease was taken. */
  readonly webhookVersion: number
  readonly eventId: number
  /** The event's public id; `null`: it has to be derived. */
  readonly eventPublicId: string | null
  readonly eventType: string
  readonly body: string
  readonly createdAt: number
  readonly attempts: number
  readonly trigger: Trigger
  readonly runStart: number
}

export interface Attempt {
  readonly number: number
  readonly trigger: Trigger
  /** The version of the webhook that it was sent under; `null` in logs of earlier releases. */
  readonly webhookVersion: number | null
  readonly startedAt: number
  readonly durationMs: number
  readonly statusCode: number | null
  readonly errorCode: AttemptErrorCode | null
  readonly errorMessage: string | null
  readonly contentType: string | null
  /** As received, at most 2 KB; any bytes. */
  readonly responseBody: Uint8Array | null
}

/** A delivery as the log shows it. */
export interface DeliveryRecord {
  readonly id: number
  readonly webhookId: number
  readonly webhookPublicId: string
  readonly eventId: number
  readonly broughtEventId: string | null
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attempts: readonly Attempt[]
  readonly nextAttemptAt: number | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** What one attempt of a delivery was made from. */
export interface SentRequest {
  /** Number of the attempt. */
  readonly number: number
  readonly startedAt: number
  readonly url: string
  /** The secrets that signed it, sealed, newest first. */
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

/** Something a person must be told; a notifier turns it into e-mail. */
export interface Notification {
  readonly id: number
  readonly kind: 'webhook_off' | 'webhook_failing'
  readonly workspaceId: number
  readonly webhookId: number
  /** The member to tell: who added the webhook, or who made the key that did; `null` when there is none. */
  readonly memberId: number | null
  readonly data: Readonly<Record<string, unknown>>
  readonly createdAt: number
}

/** A bulk replay of dead deliveries. */
export interface Replay {
  readonly id: number
  readonly publicId: string
  readonly webhookPublicId: string | null
  readonly eventType: string | null
  readonly from: number | null
  readonly to: number | null
  /** How many deliveries matched when it was asked for. */
  readonly total: number
  readonly replayed: number
  readonly createdAt: number
  /** `null` while it goes on. */
  readonly finishedAt: number | null
}

export const AUDIT_ACTIONS = [
  'workspace.created',
  'workspace.suspended',
  'workspace.resumed',
  'workspace.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'member.signed_out',
  'session.created',
  'key.created',
  'key.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.switched_off',
  'replay.created',
] as const

/** Who changed something: the operator's token, an API key, a signed-in member, or the service by its rules. */
export interface AuditActor {
  readonly type: 'operator' | 'key' | 'member' | 'system'
  /** Public id of the key or member. */
  readonly id: string | null
  /** Public id of the member's session. */
  readonly sessionId: string | null
}

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly action: (typeof AUDIT_ACTIONS)[number]
  readonly actor: AuditActor
  readonly workspacePublicId: string
  readonly target: {
    readonly type: 'workspace' | 'member' | 'session' | 'key' | 'webhook' | 'replay'
    readonly id: string
  }
  /** What is worth knowing besides, such as the names of the changed members; never a secret. */
  readonly details: Readonly<Record<string, unknown>>
  /** `null` when no request caused it. */
  readonly requestId: string | null
}
