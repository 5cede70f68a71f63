import type { ResendTrigger } from '../../core/policy.ts'
import type { DeliveryRecord, Replay, ReplayedStatus, WebhookRetry } from '../rows.ts'
import type { DeliveryFilter } from './log.ts'
import type { EventToStore } from './sending.ts'

/** At most `max` manual sends of a workspace in any `windowMs`. */
export interface ManualSendLimit {
  readonly max: number
  readonly windowMs: number
}

/** How much of a limit is left. */
export interface LimitState {
  readonly remaining: number
  /** Milliseconds until one more is allowed than now. */
  readonly resetMs: number
}

/** `limit` is `null` where there is none. */
export type ManualSendResult =
  | { readonly outcome: 'accepted'; readonly delivery: DeliveryRecord; readonly limit: LimitState | null }
  | { readonly outcome: 'not_found' }
  /** The webhook is off or paused. */
  | { readonly outcome: 'webhook_not_on'; readonly status: 'off' | 'paused' }
  /** The delivery is not in a state that this starts from. */
  | { readonly outcome: 'wrong_status'; readonly status: DeliveryRecord['status'] }
  | { readonly outcome: 'rate_limited'; readonly limit: LimitState }

/** `limit` is `null` where there is none. */
export type RetryWebhookResult =
  | {
      readonly outcome: 'accepted'
      readonly retry: WebhookRetry
      /** False: a retry was running, which goes on. */
      readonly started: boolean
      readonly limit: LimitState | null
    }
  | Exclude<ManualSendResult, { readonly outcome: 'accepted' | 'wrong_status' }>

/** What a bulk replay starts over: deliveries, tests left out, by their event's time. */
export interface ReplayFilter extends Pick<DeliveryFilter, 'workspaceId' | 'webhookId' | 'from' | 'to'> {
  readonly statuses: readonly ReplayedStatus[]
  /** Empty: of every type. */
  readonly eventTypes: readonly string[]
}

/** Where a bulk replay is: behind a delivery, oldest first, webhook by webhook. */
export interface ReplayPosition {
  readonly webhookId: number
  readonly time: number
  readonly deliveryId: number
}

/** `limit` is `null` where there is none. */
export type CreateReplayResult =
  | { readonly outcome: 'created'; readonly replay: Replay; readonly limit: LimitState | null }
  /** The workspace has as many unfinished ones as it may have. */
  | { readonly outcome: 'full' }
  | Exclude<RetryWebhookResult, { readonly outcome: 'accepted' }>

export interface ManualSendReads {
  /**
   * How many manual sends the workspace has left.
   * @returns `resetMs`: until there is one more than now; `null`: all are left
   */
  manualSendsLeft(params: { workspaceId: number; limit: ManualSendLimit; now: number }): Promise<{
    readonly remaining: number
    readonly resetMs: number | null
  }>
  /** @returns the last retry of all that is pending for the webhook; `null`: there was none */
  getWebhookRetry(params: { webhookId: number }): Promise<WebhookRetry | null>
  /**
   * How many deliveries match, in parts that each look at a bounded number of rows.
   * @param params.after where the last part ended; `null`: the first part
   * @param params.limit rows to look at, where it is not the store that decides
   * @returns `next`: where this part ended; `null`: it was the last one
   */
  countReplayable(
    params: ReplayFilter & { after: ReplayPosition | null; limit?: number; now: number },
  ): Promise<{ readonly count: number; readonly next: ReplayPosition | null }>
  getReplay(params: { workspaceId: number; publicId: string }): Promise<Replay | null>
  /** @returns the public id of the recovery of the webhook that was asked for last, ended or not; `null`: none is kept */
  latestRecovery(params: { webhookId: number }): Promise<string | null>
}

/** Sends that people ask for. */
export interface ManualSendChanges {
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
    trigger: ResendTrigger
    /** Statuses from which it may start. */
    from: readonly DeliveryRecord['status'][]
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /** Makes a pending delivery due now; one that is due or under way stays as it is. */
  retryDelivery(params: {
    workspaceId: number
    deliveryId: number
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /**
   * Notes that all that is pending for a webhook is to be retried; {@link MaintenanceVerbs.stepRetries} does it. A retry that
   * goes on stays as it is.
   */
  retryWebhook(params: {
    workspaceId: number
    webhookId: number
    limit: ManualSendLimit | null
    now: number
  }): Promise<RetryWebhookResult>
}

export interface ReplayChanges {
  /**
   * Notes that the deliveries which match are to start over; {@link MaintenanceVerbs.stepReplays} does it. A recovery has a
   * webhook, which must be on, and counts as one manual send.
   */
  createReplay(
    params: ReplayFilter & {
      publicId: string
      trigger: Replay['trigger']
      /** Whether it also sends what the webhook missed while it was off or paused; false if left out. */
      missed?: boolean
      /** How many to start over at most. */
      max: number
      /** How many are expected, to show how far it is. */
      total: number
      /** How many unfinished ones the workspace may have. */
      maxUnfinished: number
      limit: ManualSendLimit | null
      now: number
    },
  ): Promise<CreateReplayResult>
  /**
   * Ends one that goes on: what it has made pending stays so, and nothing more is.
   * @returns it as it is then; `null`: there is none
   */
  cancelReplay(params: { workspaceId: number; publicId: string; now: number }): Promise<{
    readonly replay: Replay
    /** False when it had ended before. */
    readonly changed: boolean
  } | null>
}
