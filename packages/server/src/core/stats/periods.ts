import { DAY_MS, HOUR_MS, MINUTE_MS } from '../duration.ts'
import { type StatsScope, type StatsUnit, startOf, UNIT_MS } from './units.ts'

export const PERIODS = ['1h', '24h', '7d', '30d'] as const
export type Period = (typeof PERIODS)[number]

export const PERIOD_MS: Readonly<Record<Period, number>> = {
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
}

/** The steps in which a period is shown, and the units from which they are added up. */
export interface Steps {
  readonly unit: StatsUnit
  readonly stepMs: number
  /** Start of the first step. */
  readonly from: number
  /** End of the last step, which contains `now`. */
  readonly to: number
}

/** Minutes of single webhooks and workspaces are kept for less than a day. */
const resolutionOf = (period: Period, scope: StatsScope): Pick<Steps, 'unit' | 'stepMs'> => {
  if (period === '1h') return { unit: 'minute', stepMs: UNIT_MS.minute }
  if (period === '24h' && scope === 'all') return { unit: 'minute', stepMs: 10 * MINUTE_MS }
  return { unit: 'hour', stepMs: period === '30d' ? 6 * HOUR_MS : HOUR_MS }
}

export function stepsOf(period: Period, scope: StatsScope, now: number): Steps {
  const { unit, stepMs } = resolutionOf(period, scope)
  const to = startOf(now, stepMs) + stepMs
  return { unit, stepMs, from: to - PERIOD_MS[period], to }
}
