import { counted, countText, shareText } from '../../model/numbers.ts'
import {
  countAttempts,
  type DeliveryCounts,
  type Percentiles,
  type Stats,
  type StatsPoint,
  successRate,
} from '../../model/stats.ts'
import { capitalized } from '../../model/words.ts'
import type { Series } from '../chart/series.ts'
import { durationText, minuteTime } from '../time.ts'
import { countedOutcomes, outcomeColor, outcomePhrase, outcomeWords } from './outcome.ts'

/** The series of a chart and its text alternative. */
export interface ChartContent {
  readonly series: readonly Series[]
  readonly summary: string
}

export const timesOf = ({ points }: Stats): readonly number[] =>
  points.map(({ at }) => new Date(at).getTime())

export function eventsChart({ points, totals }: Stats): ChartContent {
  const values = points.map(({ events }) => events)
  return {
    series: [{ label: 'Events', color: 'chart-blue', values }],
    summary: `${counted(totals.events, 'event')}.${mostAt(points, values, countText)}`,
  }
}

export function attemptsChart({ points, totals }: Stats): ChartContent {
  const codes = countedOutcomes(totals.attempts)
  const parts = codes.map((code) => `${countText(totals.attempts[code]!)} ${outcomePhrase(code)}`)
  const details = parts.length === 0 ? '' : `: ${parts.join(', ')}`
  return {
    series: codes.map((code) => ({
      label: outcomeWords(code),
      color: outcomeColor(code),
      values: points.map(({ attempts }) => attempts[code] ?? 0),
    })),
    summary: `${counted(countAttempts(totals.attempts), 'attempt')}${details}.`,
  }
}

/** @param failedWord the service's word for failed deliveries */
export function deliveriesChart({ points, totals }: Stats, failedWord: string): ChartContent {
  const { delivered, delivered_first_attempt: first, failed, canceled } = totals.deliveries
  const series = [
    {
      label: 'At the first attempt',
      color: 'good',
      of: (one: DeliveryCounts) => one.delivered_first_attempt,
    },
    {
      label: 'After retries',
      color: 'chart-teal',
      of: (one: DeliveryCounts) => one.delivered - one.delivered_first_attempt,
    },
    { label: capitalized(failedWord), color: 'bad', of: (one: DeliveryCounts) => one.failed },
    { label: 'Canceled', color: 'chart-gray', of: (one: DeliveryCounts) => one.canceled },
  ] as const
  return {
    series: series.map(({ of, ...line }) => ({
      ...line,
      values: points.map(({ deliveries }) => of(deliveries)),
    })),
    summary: `${countText(delivered)} delivered, ${countText(first)} of them at the first attempt. ${countText(failed)} ${failedWord}, ${countText(canceled)} canceled.`,
  }
}

export function successChart({ points, totals }: Stats): ChartContent {
  const values = points.map(({ deliveries }) => successRate(deliveries))
  const known = values.filter((value) => value !== null)
  const least = known.length === 0 ? '' : ` Lowest: ${shareText(Math.min(...known))}.`
  return {
    series: [{ label: 'Delivered', color: 'good', values }],
    summary:
      totals.success_rate === null
        ? 'No delivery finished.'
        : `${shareText(totals.success_rate)} of finished deliveries were delivered.${least}`,
  }
}

export const responseChart = (stats: Stats) => percentiles(stats, 'response_ms')
export const deliveryChart = (stats: Stats) => percentiles(stats, 'delivery_ms')

/** Only for metrics of the whole store. */
export function pendingChart({ points }: Stats): ChartContent {
  const values = points.map(({ pending }) => pending)
  return {
    series: [{ label: 'Pending', color: 'chart-violet', values }],
    summary: `Pending deliveries.${mostAt(points, values, countText)}`,
  }
}

/** Only for metrics of the whole store. */
export function overdueChart({ points }: Stats): ChartContent {
  const values = points.map(({ oldest_due_s }) => (oldest_due_s === null ? null : oldest_due_s * 1_000))
  return {
    series: [{ label: 'Oldest due', color: 'wait', values }],
    summary: `Age of the oldest due delivery.${mostAt(points, values, durationText)}`,
  }
}

const LINES = [
  { key: 'p50', label: 'Half (p50)', color: 'chart-blue', dash: 'solid' },
  { key: 'p95', label: '95% (p95)', color: 'chart-violet', dash: 'dashed' },
  { key: 'p99', label: '99% (p99)', color: 'chart-pink', dash: 'dotted' },
] as const

function percentiles({ points, totals }: Stats, of: 'response_ms' | 'delivery_ms'): ChartContent {
  return {
    series: LINES.map(({ key, ...line }) => ({
      ...line,
      values: points.map((point) => point[of]?.[key] ?? null),
    })),
    summary: percentilesText(totals[of]),
  }
}

/** "Half within 80 ms, 95% within 1.2 s, 99% within 3.4 s." */
const percentilesText = (times: Percentiles | null): string =>
  times === null
    ? 'Nothing was measured.'
    : `Half within ${durationText(times.p50)}, 95% within ${durationText(times.p95)}, 99% within ${durationText(times.p99)}.`

function mostAt(
  points: readonly StatsPoint[],
  values: readonly (number | null)[],
  text: (most: number) => string,
): string {
  const most = Math.max(0, ...values.map((value) => value ?? 0))
  return most === 0 ? '' : ` Peak: ${text(most)}, at ${minuteTime(points[values.indexOf(most)]!.at)}.`
}
