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
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
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
  readonly webhookId: number
  /** The webhook's version when the lease was taken. */
  readonly webhookVersion: number
  readonly eventId: number
  readonly broughtEventId: string | null
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
