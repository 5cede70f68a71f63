import { describe, expect, it } from 'vitest'
import type { Stats, StatsPoint } from '../src/model/stats.ts'
import { countedOutcomes } from '../src/shared/stats/outcome.ts'
import {
  attemptsChart,
  deliveriesChart,
  deliveryChart,
  eventsChart,
  overdueChart,
  successChart,
} from '../src/shared/stats/statsSeries.ts'

const times = { p50: 80, p95: 1_200, p99: 3_400 }
const quiet: StatsPoint = {
  at: '2026-03-04T10:00:00.000Z',
  events: 0,
  deliveries: { delivered: 0, delivered_first_attempt: 0, failed: 0, canceled: 0 },
  attempts: {},
  response_ms: null,
  delivery_ms: null,
  pending: null,
  oldest_due_s: null,
}
const busy: StatsPoint = {
  ...quiet,
  at: '2026-03-04T10:01:00.000Z',
  events: 3,
  deliveries: { delivered: 3, delivered_first_attempt: 2, failed: 1, canceled: 0 },
  attempts: { timeout: 1, delivered: 3 },
  delivery_ms: times,
  oldest_due_s: 2,
}
const stats: Stats = {
  period: '1h',
  from: '2026-03-04T10:00:00.000Z',
  to: '2026-03-04T10:02:00.000Z',
  step_s: 60,
  points: [quiet, busy],
  totals: {
    events: 3,
    deliveries: { delivered: 3, delivered_first_attempt: 2, failed: 1, canceled: 0 },
    attempts: { timeout: 1, delivered: 3, reset: 0 },
    success_rate: 0.75,
    attempt_success_rate: 0.75,
    response_ms: null,
    delivery_ms: times,
  },
}

describe('what the charts show', () => {
  it('events count 0 where there were none', () => {
    expect(eventsChart(stats).series[0]?.values).toEqual([0, 3])
    expect(eventsChart(stats).summary).toMatch(/^3 events\. Peak: 3, at /)
  })

  it("deliveries are grouped by outcome, in the service's own words", () => {
    const { series, summary } = deliveriesChart(stats, 'dead')
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ['At the first attempt', [0, 2]],
      ['After retries', [0, 1]],
      ['Dead', [0, 1]],
      ['Canceled', [0, 0]],
    ])
    expect(summary).toBe('3 delivered, 2 of them at the first attempt. 1 dead, 0 canceled.')
  })

  it('attempts have every outcome that occurred, delivered ones at the bottom', () => {
    const { series, summary } = attemptsChart(stats)
    expect(series.map(({ label, values }) => [label, values])).toEqual([
      ['Delivered', [0, 3]],
      ['Response timeout', [0, 1]],
    ])
    expect(summary).toBe('4 attempts: 3 delivered, 1 with a response timeout.')
  })

  it('the success rate is unknown where nothing was attempted', () => {
    expect(successChart(stats).series[0]?.values).toEqual([null, 0.75])
  })

  it('percentiles have gaps where nothing was measured', () => {
    const { series, summary } = deliveryChart(stats)
    expect(series.map(({ values }) => values)).toEqual([
      [null, 80],
      [null, 1_200],
      [null, 3_400],
    ])
    expect(summary).toBe('Half within 80 ms, 95% within 1.2 s, 99% within 3.4 s.')
  })

  it('the age of the oldest due delivery is in milliseconds', () => {
    expect(overdueChart(stats).series[0]?.values).toEqual([null, 2_000])
  })
})

describe('countedOutcomes', () => {
  it('keeps outcomes that this console does not know, at the end', () => {
    expect(countedOutcomes({ newer: 1, http_status: 2, delivered: 1, reset: 0 })).toEqual([
      'delivered',
      'http_status',
      'newer',
    ])
  })
})
