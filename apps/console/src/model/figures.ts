// What the service counts, for a webhook, a workspace or everything. The same for every service.

import { shareOf } from './numbers.ts'
import type { Period } from './periods.ts'

/** Milliseconds that half, nearly all, and all but the slowest hundredth took at most. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** By `delivered` and the codes of what went wrong; what never came up may be absent. */
export type AttemptCounts = Readonly<{ delivered?: number } & Record<string, number>>

/** How deliveries ended, each where it ended last. */
export interface DeliveryCounts {
  readonly delivered: number
  /** Of these, those that made a single attempt. */
  readonly delivered_first_attempt: number
  /** Those that used up their attempts, whatever the service calls that. */
  readonly failed: number
  readonly canceled: number
}

export interface FiguresPoint {
  /** ISO 8601; when this step began. */
  readonly at: string
  readonly events: number
  readonly deliveries: DeliveryCounts
  readonly attempts: AttemptCounts
  readonly response_ms: Percentiles | null
  readonly delivery_ms: Percentiles | null
  /** Of the whole store, and for operators alone. */
  readonly pending: number | null
  readonly oldest_due_s: number | null
}

export interface Figures {
  readonly period: Period
  readonly from: string
  readonly to: string
  readonly step_s: number
  /** All of the period, oldest first. */
  readonly points: readonly FiguresPoint[]
  readonly totals: {
    readonly events: number
    readonly deliveries: DeliveryCounts
    readonly attempts: AttemptCounts
    /** Of the deliveries that ended, from 0 to 1; `null`: none ended. */
    readonly success_rate: number | null
    /** Of the attempts. */
    readonly attempt_success_rate: number | null
    readonly response_ms: Percentiles | null
    readonly delivery_ms: Percentiles | null
  }
}

/** What figures are of. */
export type FiguresScope =
  | { readonly of: 'webhook'; readonly ws: string; readonly webhookId: string }
  | { readonly of: 'workspace'; readonly ws: string }
  | { readonly of: 'everything' }

export const countAttempts = (attempts: AttemptCounts): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

export const countEnded = ({ delivered, failed, canceled }: DeliveryCounts): number =>
  delivered + failed + canceled

/** The share that arrived, from 0 to 1; `null`: no delivery ended. */
export const successRate = (deliveries: DeliveryCounts): number | null =>
  shareOf(deliveries.delivered, countEnded(deliveries))
