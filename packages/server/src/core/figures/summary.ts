import {
  counterOf,
  DELIVERY_COUNTER,
  EVENTS_COUNTER,
  FIRST_COUNTER,
  OUTCOMES,
  type Outcome,
  RESPONSE_COUNTER,
} from './counters.ts'
import { BUCKETS, percentile } from './histogram.ts'
import type { ReadonlyTally } from './tally.ts'
import type { FigureScope } from './units.ts'

/** Milliseconds that half, nearly all, and all but the slowest hundredth took at most, each to within 15 %. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface Summary {
  /** Published; of a webhook, those that were attempted for the first time. */
  readonly events: number
  /** By outcome; those that never came up are left out. */
  readonly attempts: Readonly<Partial<Record<Outcome, number>>>
  /** `null`: there was no attempt. */
  readonly responseMs: Percentiles | null
  /** `null`: no first attempt succeeded. */
  readonly deliveryMs: Percentiles | null
}

export function summaryOf(counts: ReadonlyTally, scope: FigureScope): Summary {
  const attempts = OUTCOMES.map((outcome) => [outcome, counts.get(counterOf(outcome)) ?? 0] as const)
  return {
    events: counts.get(scope === 'webhook' ? FIRST_COUNTER : EVENTS_COUNTER) ?? 0,
    attempts: Object.fromEntries(attempts.filter(([, times]) => times > 0)),
    responseMs: percentilesOf(counts, RESPONSE_COUNTER),
    deliveryMs: percentilesOf(counts, DELIVERY_COUNTER),
  }
}

/** @returns the share of attempts that succeeded; `null` when there were none */
export function successRate({ attempts }: Pick<Summary, 'attempts'>): number | null {
  const all = Object.values(attempts).reduce((sum, times) => sum + times, 0)
  return all === 0 ? null : (attempts.delivered ?? 0) / all
}

function percentilesOf(counts: ReadonlyTally, from: number): Percentiles | null {
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) => counts.get(from + bucket) ?? 0)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(buckets, share))
  return p50 == null || p95 == null || p99 == null
    ? null
    : { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) }
}

const rounded = (ms: number): number => (ms < 100 ? Math.round(ms * 10) / 10 : Math.round(ms))
