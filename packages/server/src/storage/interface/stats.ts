import type { AttemptErrorCode } from '../../core/delivery.ts'
import type { EndedDeliveries, Percentiles } from '../../core/stats/summary.ts'
import type { ReadonlyTally } from '../../core/stats/tally.ts'
import type { Cover, StatsScope, StatsUnit } from '../../core/stats/units.ts'
import type { Webhook, Workspace } from '../rows.ts'
import type { CurrentStateReads } from './currentState.ts'

/** The counts of one span of time. */
export interface StatsPoint {
  /** Id of the webhook or workspace; 0: the whole service. */
  readonly id: number
  /** Start of the span. */
  readonly at: number
  /** By counters; see `core/stats/counters.ts`. */
  readonly counts: ReadonlyTally
}

export interface RankedStats {
  readonly id: number
  readonly events: number
  readonly attempts: number
  /** Of the attempts. */
  readonly failed: number
  readonly deliveries: EndedDeliveries
}

/** The results of a webhook over some hours. */
export interface WebhookHours {
  readonly webhookId: number
  /** Response times of its receiver; `null`: there was no attempt. */
  readonly responseMs: Percentiles | null
  /** Oldest first; hours without attempts are left out. */
  readonly hours: readonly {
    /** When the hour began. */
    readonly at: number
    /** Successful and failed attempts. */
    readonly succeeded: number
    readonly failed: number
    readonly deliveries: EndedDeliveries
  }[]
}

export interface QueueState {
  /** Pending deliveries. */
  readonly pending: number
  /** Of these, deliveries that are due and leased to no node, except for webhooks with limits. */
  readonly due: number
  /** The same for webhooks with limits, because of which they wait. */
  readonly limited: number
  /** Deliveries that are not created yet. */
  readonly unmade: number
  /** Due time of the oldest delivery in `due`; `null`: there is none. */
  readonly oldestDueAt: number | null
}

export interface QueueSample extends Omit<QueueState, 'unmade' | 'limited'> {
  readonly at: number
}

/** The maximum of the samples of a step. */
export interface QueuePeak {
  /** When the step began. */
  readonly at: number
  readonly pending: number
  /** For how long the oldest due delivery had been due; 0: there was none. */
  readonly oldestDueMs: number
}

export interface DescribedWebhook {
  readonly webhook: Webhook
  readonly workspace: Workspace
  /** Of its newest 100 deliveries; `null`: none failed. */
  readonly lastError: {
    readonly code: AttemptErrorCode
    readonly message: string
    readonly at: number
  } | null
}

/** The position of a count of the queue, in numbers that only the store understands. */
export type QueuePosition = readonly number[]

/** Waiting deliveries are counted up to about this number. */
export const QUEUE_COUNTED = 1_000_000

/**
 * Metrics over time. Attempts and events are counted in the transaction that stores them, so that each counts exactly once even
 * if a node crashes. Deliveries count once, in the minute in which they ended. Tests do not count.
 */
export interface StatsReads extends CurrentStateReads {
  /**
   * Sums over spans of `stepMs`, from `from` up to but without `to`; empty spans are left out. They include everything that was
   * recorded before the call.
   * @param from the start of a span
   * @param ids of webhooks or workspaces; `[0]`: the whole service
   */
  readStats(params: {
    scope: StatsScope
    ids: readonly number[]
    unit: StatsUnit
    stepMs: number
    from: number
    to: number
  }): Promise<readonly StatsPoint[]>
  /** The results of webhooks from the start of an hour up to but without `to`, in the order of `webhookIds`. */
  webhookHours(params: {
    webhookIds: readonly number[]
    from: number
    to: number
  }): Promise<readonly WebhookHours[]>
  /**
   * The webhooks or workspaces with the most attempts, failed attempts or events in some spans of time, highest first; those
   * with none are left out. One call looks at some of them. Counts of the last seconds may be missing.
   */
  rankStats(params: {
    scope: Exclude<StatsScope, 'all'>
    by: 'attempts' | 'failed' | 'events'
    cover: readonly Cover[]
    /** Where the last call ended; 0 at first. */
    from: number
    limit: number
  }): Promise<{
    readonly ranked: readonly RankedStats[]
    /** For the next call, which looks at others; `null`: that was the last part. */
    readonly next: number | null
  }>

  /** The maximum in each step from `from` up to but without `to`, oldest first; steps without a sample are left out. */
  queuePeaks(params: { from: number; to: number; stepMs: number }): Promise<readonly QueuePeak[]>

  /** In no particular order; deleted webhooks are left out. */
  describeWebhooks(params: { webhookIds: readonly number[] }): Promise<readonly DescribedWebhook[]>
  /** In no particular order; deleted workspaces are left out. */
  describeWorkspaces(params: { workspaceIds: readonly number[] }): Promise<readonly Workspace[]>
}
