import type { AttemptErrorCode } from '../../core/delivery.ts'
import type { EndedDeliveries, Percentiles } from '../../core/figures/summary.ts'
import type { ReadonlyTally } from '../../core/figures/tally.ts'
import type { Cover, FigureScope, FigureUnit } from '../../core/figures/units.ts'
import type { Webhook, Workspace } from '../rows.ts'
import type { StandingReads } from './standing.ts'

/** What was counted in one span of time. */
export interface Figure {
  /** Of a webhook or workspace; 0 of everything together. */
  readonly id: number
  /** When the span began. */
  readonly at: number
  /** By counters, which `core/figures/counters.ts` gives. */
  readonly counts: ReadonlyTally
}

export interface RankedFigure {
  readonly id: number
  readonly events: number
  readonly attempts: number
  /** Of the attempts. */
  readonly failed: number
  readonly deliveries: EndedDeliveries
}

/** How a webhook did over some hours. */
export interface WebhookHours {
  readonly webhookId: number
  /** How long its receiver took; `null`: there was no attempt. */
  readonly responseMs: Percentiles | null
  /** Oldest first; those without anything are left out. */
  readonly hours: readonly {
    /** When the hour began. */
    readonly at: number
    /** Attempts that succeeded, and those that failed. */
    readonly succeeded: number
    readonly failed: number
    readonly deliveries: EndedDeliveries
  }[]
}

export interface QueueState {
  /** Deliveries that are to be attempted still. */
  readonly pending: number
  /** Those of them that could be attempted now and leased to no node, but for those of webhooks with limits. */
  readonly due: number
  /** The same of webhooks with limits: they wait because of these. */
  readonly limited: number
  /** Those of them that are still to be made. */
  readonly unmade: number
  /** Since when the oldest that is `due` is due; `null`: there is none. */
  readonly oldestDueAt: number | null
}

export interface QueueSample extends Omit<QueueState, 'unmade' | 'limited'> {
  readonly at: number
}

/** The most that samples of a step of time have. */
export interface QueuePeak {
  /** When the step began. */
  readonly at: number
  readonly pending: number
  /** How long the oldest delivery that was due had been due; 0: there was none. */
  readonly oldestDueMs: number
}

export interface DescribedWebhook {
  readonly webhook: Webhook
  readonly workspace: Workspace
  /** Of its newest 100 deliveries; `null`: none of them failed. */
  readonly lastError: {
    readonly code: AttemptErrorCode
    readonly message: string
    readonly at: number
  } | null
}

/** Where a count of the queue has come to, in numbers that only the store understands. */
export type QueuePosition = readonly number[]

/** Waiting deliveries are counted up to this number, give or take a step. */
export const QUEUE_COUNTED = 1_000_000

/**
 * Metrics over time. Attempts and events are counted in the transaction that stores them, so that each counts exactly once even
 * if a node crashes. Deliveries count once, in the minute in which they ended. Tests do not count.
 */
export interface FigureReads extends StandingReads {
  /**
   * Sums over spans of `stepMs`, from `from` on and before `to`; spans in which nothing happened are left out. They include
   * everything that was recorded before the call.
   * @param from the beginning of a span
   * @param ids of webhooks or workspaces; `[0]`: everything together
   */
  readFigures(params: {
    scope: FigureScope
    ids: readonly number[]
    unit: FigureUnit
    stepMs: number
    from: number
    to: number
  }): Promise<readonly Figure[]>
  /** How webhooks did from the beginning of an hour on and before `to`, in the order of `webhookIds`. */
  webhookHours(params: {
    webhookIds: readonly number[]
    from: number
    to: number
  }): Promise<readonly WebhookHours[]>
  /**
   * The webhooks or workspaces with the most attempts, failed attempts or events in some spans of time, most first; those with none
   * are left out. One call looks at some of them. What was recorded in the last seconds may be missing.
   */
  rankFigures(params: {
    scope: Exclude<FigureScope, 'all'>
    by: 'attempts' | 'failed' | 'events'
    cover: readonly Cover[]
    /** Where the last call ended; 0 at first. */
    from: number
    limit: number
  }): Promise<{
    readonly ranked: readonly RankedFigure[]
    /** For the next call, which looks at others; `null`: all were looked at. */
    readonly next: number | null
  }>

  /** The most in each step of time from `from` on and before `to`, oldest first; steps without a sample are left out. */
  queuePeaks(params: { from: number; to: number; stepMs: number }): Promise<readonly QueuePeak[]>

  /** Of these webhooks, in no order; deleted ones are left out. */
  describeWebhooks(params: { webhookIds: readonly number[] }): Promise<readonly DescribedWebhook[]>
  /** Of these workspaces, in no order; deleted ones are left out. */
  describeWorkspaces(params: { workspaceIds: readonly number[] }): Promise<readonly Workspace[]>
}
