import type { Trigger } from '../../core/delivery.ts'
import type { DeliveryRecord, Replay } from '../rows.ts'
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

export type ReplayFilter = Omit<DeliveryFilter, 'status' | 'statusCodes' | 'event'>

export interface ManualSendReads {
  /**
   * How many manual sends the workspace has left.
   * @returns `resetMs`: until there is one more than now; `null`: all are left
   */
  manualSendsLeft(params: { workspaceId: number; limit: ManualSendLimit; now: number }): Promise<{
    readonly remaining: number
    readonly resetMs: number | null
  }>
  /** How many dead deliveries match, counted up to `max`. @returns `more`: whether there are more than that. */
  countReplayable(params: ReplayFilter & { max: number; now: number }): Promise<{
    readonly count: number
    readonly more: boolean
  }>
  getReplay(params: { workspaceId: number; publicId: string }): Promise<Replay | null>
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
    trigger: Extract<Trigger, 'redeliver' | 'replay'>
    /** Statuses from which it may start. */
    from: readonly DeliveryRecord['status'][]
    limit: ManualSendLimit | null
    now: number
  }): Promise<ManualSendResult>
}

export interface ReplayChanges {
  /**
   * Notes that the dead deliveries which match are to be replayed; {@link MaintenanceVerbs.stepReplays} does it.
   * @returns `null`: nothing was noted, since the workspace has `maxUnfinished` replays already
   */
  createReplay(
    params: ReplayFilter & {
      publicId: string
      /** How many to replay at most. */
      max: number
      /** How many are expected, for whoever looks at the progress. */
      total: number
      /** How many replays the workspace may have that are not finished. */
      maxUnfinished: number
      now: number
    },
  ): Promise<Replay | null>
}
