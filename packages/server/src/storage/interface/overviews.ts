import type { AttemptErrorCode, DeliveryStatus } from '../../core/delivery.ts'
import type { Webhook } from '../rows.ts'
import type { ManualSendLimit } from './manualSends.ts'

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

export interface WebhookState {
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

/** What people are shown of their webhooks at a glance. */
export interface OverviewVerbs {
  /** Those of these webhooks that the workspace has, newest first. */
  findWebhooks(params: { workspaceId: number; publicIds: readonly string[] }): Promise<readonly Webhook[]>
  /**
   * How those of these webhooks stand that the workspace has, in their order. What is pending is counted up to
   * `maxPending`, among as many rows that wait and 10,000 that nodes hold: where nodes hold more, or rows are still being
   * canceled, a count may be too low.
   */
  webhookStates(params: {
    workspaceId: number
    webhookIds: readonly number[]
    maxPending: number
  }): Promise<readonly WebhookState[]>
  /** The newest secrets that sign at `now`, newest first, without what is secret. */
  listSecrets(params: { webhookId: number; limit: number; now: number }): Promise<readonly SecretSpan[]>
  /**
   * How many events of these types, tests left out, were published since a time, counted up to `max`. Only the workspace's
   * newest events are looked at, 2,500 of them, so that a busy workspace holds nobody up.
   * @param params.eventTypes none: of every type
   * @returns `more`: whether there are, or may be, more than that
   */
  countEvents(params: {
    workspaceId: number
    eventTypes: readonly string[]
    since: number
    max: number
  }): Promise<{ readonly count: number; readonly more: boolean }>
  /**
   * How many manual sends the workspace has left.
   * @returns `resetMs`: until there is one more than now; `null`: all are left
   */
  manualSendsLeft(params: { workspaceId: number; limit: ManualSendLimit; now: number }): Promise<{
    readonly remaining: number
    readonly resetMs: number | null
  }>
}
