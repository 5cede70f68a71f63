import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/** Of latencies, ms; NaN when there were none. */
export interface Spread {
  readonly count: number
  readonly minMs: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const NO_LATENCIES: Spread = {
  count: 0,
  minMs: Number.NaN,
  p50Ms: Number.NaN,
  p90Ms: Number.NaN,
  p99Ms: Number.NaN,
  maxMs: Number.NaN,
}

/** A group without latencies yields an empty spread. */
export const spreadIn = (spreads: Readonly<Record<string, Spread>>, group: string): Spread =>
  spreads[group] ?? NO_LATENCIES

/** Latencies by group, exact to three digits, in constant memory. */
export class Latencies {
  readonly #groups = new Map<string, RecordableHistogram>()

  /** @param ns from one instant to another on the monotonic clock */
  record(group: string, ns: number): void {
    let histogram = this.#groups.get(group)
    if (histogram === undefined) {
      histogram = createHistogram()
      this.#groups.set(group, histogram)
    }
    // The histogram rejects values below 1, and the clocks of two processors may differ slightly.
    histogram.record(Math.max(1, Math.round(ns)))
  }

  reset(): void {
    this.#groups.clear()
  }

  spreads(): Record<string, Spread> {
    return Object.fromEntries([...this.#groups].map(([group, histogram]) => [group, spreadOf(histogram)]))
  }
}

function spreadOf(histogram: RecordableHistogram): Spread {
  const percentile = (share: number) => histogram.percentile(share) / 1e6
  return {
    count: histogram.count,
    minMs: histogram.min / 1e6,
    p50Ms: percentile(50),
    p90Ms: percentile(90),
    p99Ms: percentile(99),
    maxMs: histogram.max / 1e6,
  }
}
