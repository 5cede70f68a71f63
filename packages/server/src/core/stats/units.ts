import { DAY_MS, HOUR_MS, MINUTE_MS } from '../duration.ts'

/** What stats are kept for: the whole service, a workspace or a webhook. */
export type StatsScope = 'all' | 'workspace' | 'webhook'
export const STATS_SCOPES: readonly StatsScope[] = ['all', 'workspace', 'webhook']

/** Time units of the stats. They start with the units of UTC. */
export type StatsUnit = 'minute' | 'hour' | 'day'

export const UNIT_MS: Readonly<Record<StatsUnit, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }

/** How long stats of each unit are kept, in milliseconds; units that are absent are not counted. */
export const KEPT_MS: Readonly<Record<StatsScope, Partial<Record<StatsUnit, number>>>> = {
  all: { minute: 8 * DAY_MS, hour: 31 * DAY_MS },
  workspace: { minute: 3 * HOUR_MS, hour: 31 * DAY_MS, day: 32 * DAY_MS },
  webhook: { minute: 3 * HOUR_MS, hour: 31 * DAY_MS, day: 32 * DAY_MS },
}

/** Every unit of every scope, and the time before which its stats expire at `now`. */
export function ends(
  now: number,
): readonly { readonly scope: StatsScope; readonly unit: StatsUnit; readonly before: number }[] {
  return STATS_SCOPES.flatMap((scope) =>
    (Object.entries(KEPT_MS[scope]) as [StatsUnit, number][]).map(([unit, keptMs]) => ({
      scope,
      unit,
      before: now - keptMs,
    })),
  )
}

/** How long samples of the queue are kept. */
export const QUEUE_KEPT_MS = 31 * DAY_MS

/** @returns the start of the span that contains `at` */
export const startOf = (at: number, spanMs: number): number => Math.floor(at / spanMs) * spanMs

/** @returns the starts of all spans from `from` up to but without `to`; `from` is one itself */
export function startsOf(from: number, to: number, unit: StatsUnit): number[] {
  const starts: number[] = []
  for (let at = from; at < to; at += UNIT_MS[unit]) starts.push(at)
  return starts
}

/** The smallest set of spans that exactly covers a time. */
export interface Cover {
  readonly unit: StatsUnit
  readonly starts: readonly number[]
}

/** @param from the start of a minute @param finest the unit for the parts that do not fill a larger one */
export function coverOf(from: number, to: number, finest: 'minute' | 'hour'): readonly Cover[] {
  if (finest === 'minute') return [{ unit: 'minute', starts: startsOf(from, to, 'minute') }]
  const days = Math.min(startOf(from + DAY_MS - 1, DAY_MS), to)
  return [
    { unit: 'hour', starts: startsOf(from, days, 'hour') },
    { unit: 'day', starts: startsOf(days, to, 'day') },
  ]
}
