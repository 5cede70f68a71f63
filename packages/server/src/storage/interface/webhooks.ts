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
  /** The newest delivery to it; `null`: none is kept. */
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

/** Nothing was changed: the webhook has none of the expected versions. */
export interface OtherVersion {
  readonly outcome: 'other_version'
  readonly version: number
}

export type WebhookUpdate =
  /** `changed`: whether anything differs from before. */
  | { readonly outcome: 'updated'; readonly webhook: Webhook; readonly changed: boolean }
  /** The webhook is off and only a change of its pause was requested: nothing was changed. */
  | { readonly outcome: 'off' }
  | OtherVersion

export type WebhookDeletion = { readonly outcome: 'deleted' } | OtherVersion
type SecretRotation = { readonly outcome: 'rotated'; readonly webhook: Webhook } | OtherVersion

/** The derived state of a webhook that is on and whose last attempts failed, beside its status. */
export type WebhookFilterStatus = WebhookStatus | 'failing'

/** Absent members match all. */
export interface WebhookFilter {
  /** Part of its description, types or URL, ignoring the case of ASCII letters, or its whole id. */
  readonly text?: string | undefined
  /** Whose webhooks match by their whole URL; others match by its origin. `null`: all match by the whole URL. */
  readonly wholeUrlsOf?: Creator | null
  /** `on` includes failing webhooks. */
  readonly status?: WebhookFilterStatus | undefined
}

export interface WebhookReads {
  getWebhook(params: { workspaceId: number; publicId: string }): Promise<Webhook | null>
  /**
   * Newest first, or webhooks that need attention first. It looks at all of the workspace's webhooks until the page is full.
   * @param failingFirst the rank, from {@link attentionRank}, at which the page before ended; -1 before the first page. Absent:
   *   newest first
   */
  listWebhooks(
    params: { workspaceId: number; filter?: WebhookFilter; failingFirst?: { rank: number } } & Page,
  ): Promise<readonly Webhook[]>
  /** Those of these webhooks that belong to the workspace, newest first. */
  findWebhooks(params: { workspaceId: number; publicIds: readonly string[] }): Promise<readonly Webhook[]>
  /**
   * The state of those of these webhooks that belong to the workspace, in their order. Pending deliveries are counted up to
   * `maxPending`, among as many waiting rows and 10,000 leased ones: if more are leased, or rows are still being canceled, a
   * count may be too low.
   */
  webhookStates(params: {
    workspaceId: number
    webhookIds: readonly number[]
    maxPending: number
  }): Promise<readonly WebhookState[]>
  /** Deliveries that are due for a webhook or leased to nodes, counted up to `atMost`. */
  countDue(params: { webhookId: number; now: number; atMost: number }): Promise<{
    readonly due: number
    /** Whether there are more than were counted. */
    readonly more: boolean
  }>
  /** The newest secrets that sign at `now`, newest first, without the secret values. */
  listSecrets(params: { webhookId: number; limit: number; now: number }): Promise<readonly SecretSpan[]>
  /** The newest secrets that sign at `now`, found only by the public id; `null`: no workspace has such a webhook. */
  getSigningSecrets(params: { publicId: string; limit: number; now: number }): Promise<SigningSecrets | null>
}

/** Calls that change a webhook return `null` when there is none. */
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
   * Absent members stay unchanged. Disabling cancels pending deliveries. Enabling resets since when it was failing; ending a
   * pause does not. `enabled` and `paused` apply to the status that the transaction finds. A change without effect keeps the
   * version.
   */
  updateWebhook(params: {
    workspaceId: number
    webhookId: number
    /** Changes it only if it has one of these versions; `null`: any. */
    ifVersions: readonly number[] | null
    changes: Partial<WebhookFields> & EnabledState
    /** Whether a new pause keeps events that are published during it; if left out, the webhook misses them. */
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
    /** How long the replaced secret still signs. */
    overlapMs: number
    now: number
  }): Promise<SecretRotation | null>
}
