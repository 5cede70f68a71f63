// Metrics of a webhook, a workspace or the whole service.

import { shareOf } from './numbers.ts'
import type { Period } from './periods.ts'

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Attempts by `delivered` and error code; absent: 0. */
export type AttemptCounts = Readonly<{ delivered?: number } & Record<string, number>>

/** Finished deliveries by their latest result. */
export interface DeliveryCounts {
  readonly delivered: number
  /** Delivered at the first attempt. */
  readonly delivered_first_attempt: number
  /** Failed, or dead in some services. */
  readonly failed: number
  readonly canceled: number
}

export interface StatsPoint {
  /** Start of the bucket, ISO 8601. */
  readonly at: string
  readonly events: number
  readonly deliveries: DeliveryCounts
  readonly attempts: AttemptCounts
  readonly response_ms: Percentiles | null
  readonly delivery_ms: Percentiles | null
  /** Of the whole store; only for operators. */
  readonly pending: number | null
  readonly oldest_due_s: number | null
}

export interface Stats {
  readonly period: Period
  readonly from: string
  readonly to: string
  readonly step_s: number
  /** All buckets of the period, oldest first. */
  readonly points: readonly StatsPoint[]
  readonly totals: {
    readonly events: number
    readonly deliveries: DeliveryCounts
    readonly attempts: AttemptCounts
    /** Share of finished deliveries that were delivered, from 0 to 1; `null`: none finished. */
    readonly success_rate: number | null
    /** The same for attempts. */
    readonly attempt_success_rate: number | null
    readonly response_ms: Percentiles | null
    readonly delivery_ms: Percentiles | null
  }
}

/** Scope of metrics. */
export type StatsScope =
  | { readonly of: 'webhook'; readonly ws: string; readonly webhookId: string }
  | { readonly of: 'workspace'; readonly ws: string }
  | { readonly of: 'everything' }

export const countAttempts = (attempts: AttemptCounts): number =>
  Object.values(attempts).reduce((sum, count) => sum + count, 0)

export const countEnded = ({ delivered, failed, canceled }: DeliveryCounts): number =>
  delivered + failed + canceled

/** Share of finished deliveries that were delivered, from 0 to 1; `null`: none finished. */
export const successRate = (deliveries: DeliveryCounts): number | null =>
  shareOf(deliveries.delivered, countEnded(deliveries))
