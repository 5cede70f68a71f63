import type { AttemptErrorCode, DeliveryStatus } from '../../core/delivery.ts'
import type { EnabledState, WebhookStatus } from '../../core/enabledState.ts'
import type { Creator, NewWebhook, SigningSecrets, Webhook, WebhookFields } from '../rows.ts'
import type { Page } from './page.ts'

/** A delivery as the overview of its webhook shows it. */
export interface LatestDelivery {
  readonly id: number
  readonly createdAt: number
  readonly status: DeliveryStatus
  /** Its latest attempt; `null`: none was recorded yet. */
  readonly attempt: {
    readonly startedAt: number
    readonly statusCode: number | null
    readonly errorCode: AttemptErrorCode | null
  } | null
}

interface WebhookState {
  readonly webhookId: number
  /** The newest delivery that was made for it; `null`: none is kept. */
  readonly latest: LatestDelivery | null
  /** Pending deliveries. */
  readonly pending: number
}

/** When a signing secret signs. */
export interface SecretSpan {
  readonly createdAt: number
  /** The version that the webhook had from the secret's creation on. */
  readonly fromVersion: number
  /** `null`: it is the current one. */
  readonly expiresAt: number | null
}

type WebhookCreation =
  | { readonly outcome: 'created'; readonly webhook: Webhook }
  | { readonly outcome: 'limit_reached' }
  | { readonly outcome: 'workspace_not_found' }

/** Nothing was changed: the webhook has none of the versions that the caller would change. */
export interface OtherVersion {
  readonly outcome: 'other_version'
  readonly version: number
}

export type WebhookUpdate =
  /** `changed`: whether anything is different from before. */
  | { readonly outcome: 'updated'; readonly webhook: Webhook; readonly changed: boolean }
  /** The webhook is off and its pause was asked for alone: nothing was changed. */
  | { readonly outcome: 'off' }
  | OtherVersion

export type WebhookDeletion = { readonly outcome: 'deleted' } | OtherVersion
type SecretRotation = { readonly outcome: 'rotated'; readonly webhook: Webhook } | OtherVersion

/** What a webhook that is on and whose last attempts failed counts as, beside its status. */
export type WebhookFilterStatus = WebhookStatus | 'failing'

/** Absent members find all. */
export interface WebhookFilter {
  /** Part of its description, types or URL, in any case of ASCII letters, or its whole id. */
  readonly text?: string | undefined
  /** Whose webhooks are found by their whole URL; others by its origin. `null`: all by the whole. */
  readonly wholeUrlsOf?: Creator | null
  /** `on` finds the failing as well. */
  readonly status?: WebhookFilterStatus | undefined
}

export interface WebhookReads {
  getWebhook(params: { workspaceId: number; publicId: string }): Promise<Webhook | null>
  /**
   * Newest first, or those first that need attention. It looks at all of the workspace's webhooks, unless the page is full before.
   * @param failingFirst the rank, from {@link attentionRank}, at which the page before ended; -1 before the first page. Absent: newest first
   */
  listWebhooks(
    params: { workspaceId: number; filter?: WebhookFilter; failingFirst?: { rank: number } } & Page,
  ): Promise<readonly Webhook[]>
  /** Those of these webhooks that the workspace has, newest first. */
  findWebhooks(params: { workspaceId: number; publicIds: readonly string[] }): Promise<readonly Webhook[]>
  /**
   * The state of those of these webhooks that the workspace has, in their order. Pending deliveries are counted up to
   * `maxPending`, among as many rows that wait and 10,000 that are leased: if more are leased, or rows are still being
   * canceled, a count may be too low.
   */
  webhookStates(params: {
    workspaceId: number
    webhookIds: readonly number[]
    maxPending: number
  }): Promise<readonly WebhookState[]>
  /** What is due for a webhook or leased to nodes, counted up to `atMost`. */
  countDue(params: { webhookId: number; now: number; atMost: number }): Promise<{
    readonly due: number
    /** Whether there is more than was counted. */
    readonly more: boolean
  }>
  /** The newest secrets that sign at `now`, newest first, without what is secret. */
  listSecrets(params: { webhookId: number; limit: number; now: number }): Promise<readonly SecretSpan[]>
  /** The newest secrets that sign at `now`, by the public id alone; `null`: no workspace has such a webhook. */
  getSigningSecrets(params: { publicId: string; limit: number; now: number }): Promise<SigningSecrets | null>
}

/** Calls that change a webhook answer `null` when there is none. */
export interface WebhookChanges {
  createWebhook(
    params: NewWebhook & {
      publicId: string
      workspaceId: number
      createdBy: Creator
      sealedSecret: Uint8Array
      /** `null`: no limit. */
      maxWebhooks: number | null
      now: number
    },
  ): Promise<WebhookCreation>
  /**
   * Absent members stay. Disabling cancels what is pending. Enabling resets since when it was failing; to end a pause does not.
   * `enabled` and `paused` are applied to the status that the transaction finds. A change without effect keeps the version.
   */
  updateWebhook(params: {
    workspaceId: number
    webhookId: number
    /** Change it only if it has one of these versions; `null`: whatever it has. */
    ifVersions: readonly number[] | null
    changes: Partial<WebhookFields> & EnabledState
    /** Whether a pause that begins holds what is published meanwhile; if left out, the webhook misses it. */
    pauseHolds?: boolean
    now: number
  }): Promise<WebhookUpdate | null>
  deleteWebhook(params: {
    workspaceId: number
    webhookId: number
    ifVersions: readonly number[] | null
    now: number
  }): Promise<WebhookDeletion | null>
  rotateSecret(params: {
    workspaceId: number
    webhookId: number
    ifVersions: readonly number[] | null
    sealedSecret: Uint8Array
    /** How long the replaced secret goes on signing. */
    overlapMs: number
    now: number
  }): Promise<SecretRotation | null>
}
