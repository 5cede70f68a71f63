import { DAY_MS, HOUR_MS, MINUTE_MS } from '../duration.ts'

/** What figures are of: of everything together, of a workspace or of a webhook. */
export type FigureScope = 'all' | 'workspace' | 'webhook'
export const FIGURE_SCOPES: readonly FigureScope[] = ['all', 'workspace', 'webhook']

/** Spans of time that are counted. They begin with those of UTC. */
export type FigureUnit = 'minute' | 'hour' | 'day'

export const UNIT_MS: Readonly<Record<FigureUnit, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }

/** How long figures of each unit are kept, in milliseconds; what is absent is not counted at all. */
export const KEPT_MS: Readonly<Record<FigureScope, Partial<Record<FigureUnit, number>>>> = {
  all: { minute: 8 * DAY_MS, hour: 31 * DAY_MS },
  workspace: { minute: 3 * HOUR_MS, hour: 31 * DAY_MS, day: 32 * DAY_MS },
  webhook: { minute: 3 * HOUR_MS, hour: 31 * DAY_MS, day: 32 * DAY_MS },
}

/** Every unit of every scope that is counted, and until when what is kept of it at `now` goes. */
export function ends(
  now: number,
): readonly { readonly scope: FigureScope; readonly unit: FigureUnit; readonly before: number }[] {
  return FIGURE_SCOPES.flatMap((scope) =>
    (Object.entries(KEPT_MS[scope]) as [FigureUnit, number][]).map(([unit, keptMs]) => ({
      scope,
      unit,
      before: now - keptMs,
    })),
  )
}

/** Samples of the queue are kept as long. */
export const QUEUE_KEPT_MS = 31 * DAY_MS

/** @returns when the span began that `at` is in */
export const startOf = (at: number, spanMs: number): number => Math.floor(at / spanMs) * spanMs

/** @returns the beginnings of all spans from `from` on and before `to`; `from` is one itself */
export function startsOf(from: number, to: number, unit: FigureUnit): number[] {
  const starts: number[] = []
  for (let at = from; at < to; at += UNIT_MS[unit]) starts.push(at)
  return starts
}

/** Spans that together are just a time, in as few as there are. */
export interface Cover {
  readonly unit: FigureUnit
  readonly starts: readonly number[]
}

/** @param from the beginning of a minute @param finest the unit in which what is no whole larger one is counted */
export function coverOf(from: number, to: number, finest: 'minute' | 'hour'): readonly Cover[] {
  if (finest === 'minute') return [{ unit: 'minute', starts: startsOf(from, to, 'minute') }]
  const days = Math.min(startOf(from + DAY_MS - 1, DAY_MS), to)
  return [
    { unit: 'hour', starts: startsOf(from, days, 'hour') },
    { unit: 'day', starts: startsOf(days, to, 'day') },
  ]
}
