import { type Static, Type } from 'typebox'
import { HOUR_MS } from '../../core/duration.ts'
import { closed, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'

const HOURS = 24

const attempts = {
  succeeded: Type.Integer({ description: 'Attempts that succeeded.' }),
  failed: Type.Integer({ description: 'Attempts that failed.' }),
}

export const lastDaySchema = closed(
  {
    ...attempts,
    hours: Type.Array(closed({ at: time('When the hour began.'), ...attempts }), {
      description: 'The hours of it, oldest first, the one that has just begun last.',
      minItems: HOURS,
      maxItems: HOURS,
    }),
  },
  { description: 'Attempts of the last 24 hours, counted from the beginning of an hour.' },
)

/** Attempts of one hour. */
interface HourOfAttempts {
  /** When it began, Unix ms. */
  readonly at: number
  readonly succeeded: number
  readonly failed: number
}

/** The hours that are the last day at `now`. @returns Unix ms; `to` is exclusive */
export function lastDayAt(now: number): { readonly from: number; readonly to: number } {
  const to = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
  return { from: to - HOURS * HOUR_MS, to }
}

/** @param hours of the day, in any order; those without attempts may be missing */
export function lastDayJson(from: number, hours: Iterable<HourOfAttempts>): Static<typeof lastDaySchema> {
  const day = Array.from({ length: HOURS }, (_, hour) => ({
    at: isoTime(from + hour * HOUR_MS),
    succeeded: 0,
    failed: 0,
  }))
  const sum = { succeeded: 0, failed: 0 }
  for (const { at, succeeded, failed } of hours) {
    const hour = day[(at - from) / HOUR_MS]
    if (hour === undefined) continue
    for (const into of [hour, sum]) {
      into.succeeded += succeeded
      into.failed += failed
    }
  }
  return { ...sum, hours: day }
}
