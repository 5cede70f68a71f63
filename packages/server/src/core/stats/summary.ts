import {
  counterOf,
  DELIVERY_COUNTER,
  EVENTS_COUNTER,
  endedCounterOf,
  FIRST_COUNTER,
  FORMER_RESPONSE_COUNTER,
  OUTCOMES,
  type Outcome,
  RESPONSE_COUNTER,
  restartedCounterOf,
} from './counters.ts'
import { FINE, type Histogram, percentile, type Scale, WIDE } from './histogram.ts'
import type { ReadonlyTally } from './tally.ts'
import type { StatsScope } from './units.ts'

/** The 50th, 95th and 99th percentile in milliseconds: response times within 3 %, others within 8 %. */
export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** Deliveries that ended in a time and were not restarted since. */
export interface EndedDeliveries {
  readonly delivered: number
  /** Of these, those with a single attempt. */
  readonly atFirst: number
  /** Deliveries that used up their attempts, whatever the profile calls that. */
  readonly failed: number
  readonly canceled: number
}

export interface Summary {
  /** Published events; for a webhook, deliveries that were attempted for the first time. */
  readonly events: number
  readonly deliveries: EndedDeliveries
  /** By outcome; outcomes that did not occur are left out. */
  readonly attempts: Readonly<Partial<Record<Outcome, number>>>
  /** `null`: there was no attempt. */
  readonly responseMs: Percentiles | null
  /** `null`: no first attempt succeeded. */
  readonly deliveryMs: Percentiles | null
}

export function summaryOf(counts: ReadonlyTally, scope: StatsScope): Summary {
  const attempts = OUTCOMES.map((outcome) => [outcome, counts.get(counterOf(outcome)) ?? 0] as const)
  const deliveryTimes = histogramOf(counts, DELIVERY_COUNTER, WIDE)
  return {
    events: counts.get(scope === 'webhook' ? FIRST_COUNTER : EVENTS_COUNTER) ?? 0,
    deliveries: deliveriesOf(counts),
    attempts: Object.fromEntries(attempts.filter(([, times]) => times > 0)),
    responseMs: percentilesOf([
      histogramOf(counts, RESPONSE_COUNTER, FINE),
      histogramOf(counts, FORMER_RESPONSE_COUNTER, WIDE),
    ]),
    deliveryMs: percentilesOf([deliveryTimes]),
  }
}

/** Each successful attempt ends a delivery. Each time to delivery belongs to a delivery that needed a single attempt. */
export function deliveriesOf(counts: ReadonlyTally): EndedDeliveries {
  const less = (ended: number, restarted: Parameters<typeof restartedCounterOf>[0]): number =>
    Math.max(0, ended - (counts.get(restartedCounterOf(restarted)) ?? 0))
  const atFirst = histogramOf(counts, DELIVERY_COUNTER, WIDE).counts.reduce((sum, count) => sum + count, 0)
  return {
    delivered: less(counts.get(counterOf('delivered')) ?? 0, 'delivered'),
    atFirst: less(atFirst, 'atFirst'),
    failed: less(counts.get(endedCounterOf('failed')) ?? 0, 'failed'),
    canceled: less(counts.get(endedCounterOf('canceled')) ?? 0, 'canceled'),
  }
}

/** @returns the share of ended deliveries that arrived; `null` when none ended */
export function deliveredShare({ delivered, failed, canceled }: EndedDeliveries): number | null {
  const ended = delivered + failed + canceled
  return ended === 0 ? null : delivered / ended
}

/** @returns the number of attempts, and how many of them failed */
export function attemptsOf({ attempts }: Pick<Summary, 'attempts'>): {
  readonly all: number
  readonly failed: number
} {
  const all = Object.values(attempts).reduce((sum, times) => sum + times, 0)
  return { all, failed: all - (attempts.delivered ?? 0) }
}

/** @returns the share of attempts that succeeded; `null` when there were none */
export function attemptsShare(summary: Pick<Summary, 'attempts'>): number | null {
  const { all, failed } = attemptsOf(summary)
  return all === 0 ? null : (all - failed) / all
}

function histogramOf(counts: ReadonlyTally, from: number, scale: Scale): Histogram {
  const buckets = Array.from({ length: scale.buckets }, (_, bucket) => counts.get(from + bucket) ?? 0)
  return { scale, counts: buckets }
}

function percentilesOf(histograms: readonly Histogram[]): Percentiles | null {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(histograms, share))
  return p50 == null || p95 == null || p99 == null
    ? null
    : { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) }
}

const rounded = (ms: number): number => (ms < 100 ? Math.round(ms * 10) / 10 : Math.round(ms))
