import type { ResendTrigger } from '../../core/policy.ts'
import type { DeliveryRecord, Replay, ReplayedStatus, WebhookRetry } from '../rows.ts'
import type { DeliveryFilter } from './log.ts'
import type { EventToStore } from './sending.ts'

/** At most `max` manual sends of a workspace in any `windowMs`. */
export interface ManualSendLimit {
  readonly max: number
  readonly windowMs: number
}

/** The rest of a limit. */
export interface LimitState {
  readonly remaining: number
  /** Milliseconds until the number that is allowed grows by one. */
  readonly resetMs: number
}

/** `limit` is `null` if there is none. */
export type ManualSendResult =
  | { readonly outcome: 'accepted'; readonly delivery: DeliveryRecord; readonly limit: LimitState | null }
  | { readonly outcome: 'not_found' }
  /** The webhook is off or paused. */
  | { readonly outcome: 'webhook_not_on'; readonly status: 'off' | 'paused' }
  /** The delivery is in a state that does not allow this. */
  | { readonly outcome: 'wrong_status'; readonly status: DeliveryRecord['status'] }
  | { readonly outcome: 'rate_limited'; readonly limit: LimitState }

/** `limit` is `null` if there is none. */
export type RetryWebhookResult =
  | {
      readonly outcome: 'accepted'
      readonly retry: WebhookRetry
      /** False: a retry was already running, and continues. */
      readonly started: boolean
      readonly limit: LimitState | null
    }
  | Exclude<ManualSendResult, { readonly outcome: 'accepted' | 'wrong_status' }>

/** The deliveries of a bulk replay, without tests, by their event's time. */
export interface ReplayFilter extends Pick<DeliveryFilter, 'workspaceId' | 'webhookId' | 'from' | 'to'> {
  readonly statuses: readonly ReplayedStatus[]
  /** Empty: of every type. */
  readonly eventTypes: readonly string[]
}

/** The position of a bulk replay: after a delivery, oldest first, webhook by webhook. */
export interface ReplayPosition {
  readonly webhookId: number
  readonly time: number
  readonly deliveryId: number
}

/** `limit` is `null` if there is none. */
export type CreateReplayResult =
  | { readonly outcome: 'created'; readonly replay: Replay; readonly limit: LimitState | null }
  /** The workspace has reached its limit of unfinished ones. */
  | { readonly outcome: 'full' }
  | Exclude<RetryWebhookResult, { readonly outcome: 'accepted' }>

export interface ManualSendReads {
  /**
   * How many manual sends the workspace has left.
   * @returns `resetMs`: until the number grows by one; `null`: none were used
   */
  manualSendsLeft(params: { workspaceId: number; limit: ManualSendLimit; now: number }): Promise<{
    readonly remaining: number
    readonly resetMs: number | null
  }>
  /** @returns the last retry of all pending deliveries of the webhook; `null`: there was none */
  getWebhookRetry(params: { webhookId: number }): Promise<WebhookRetry | null>
  /**
   * Counts matching deliveries, in parts that each look at a bounded number of rows.
   * @param params.after where the last part ended; `null`: the first part
   * @param params.limit rows to look at, unless the store decides
   * @returns `next`: where this part ended; `null`: it was the last one
   */
  countReplayable(
    params: ReplayFilter & { after: ReplayPosition | null; limit?: number; now: number },
  ): Promise<{ readonly count: number; readonly next: ReplayPosition | null }>
  getReplay(params: { workspaceId: number; publicId: string }): Promise<Replay | null>
  /** @returns the public id of the webhook's latest recovery, ended or not; `null`: none is kept */
  latestRecovery(params: { webhookId: number }): Promise<string | null>
}

/** Sends that people request. */
export interface ManualSendChanges {
  /** Creates one delivery of a new event to one webhook. */
  sendTest(params: {
    event: EventToStore
    webhookId: number
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /**
   * Makes a finished delivery pending, due now. One that was canceled in flight counts as pending until its attempt has ended.
   */
  resend(params: {
    workspaceId: number
    deliveryId: number
    trigger: ResendTrigger
    /** Statuses from which it may start. */
    from: readonly DeliveryRecord['status'][]
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /** Makes a pending delivery due now, unless it is already due or in flight. */
  retryDelivery(params: {
    workspaceId: number
    deliveryId: number
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
  /**
   * Requests a retry of all pending deliveries of a webhook; {@link MaintenanceCalls.stepRetries} carries it out. A running
   * retry continues.
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
   * Requests a bulk replay of the matching deliveries; {@link MaintenanceCalls.stepReplays} carries it out. A recovery has a
   * webhook, which must be on, and counts as one manual send.
   */
  createReplay(
    params: ReplayFilter & {
      publicId: string
      trigger: Replay['trigger']
      /** Whether it also sends events that the webhook missed while it was off or paused; default false. */
      missed?: boolean
      /** How many to start over at most. */
      max: number
      /** How many are expected, to show the progress. */
      total: number
      /** How many unfinished ones the workspace may have. */
      maxUnfinished: number
      limit: ManualSendLimit | null
      now: number
    },
  ): Promise<CreateReplayResult>
  /**
   * Stops a running one. Deliveries that it has made pending stay so.
   * @returns its state then; `null`: there is none
   */
  cancelReplay(params: { workspaceId: number; publicId: string; now: number }): Promise<{
    readonly replay: Replay
    /** False when it had already ended. */
    readonly changed: boolean
  } | null>
}
