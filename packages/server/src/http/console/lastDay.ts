import { type Static, Type } from 'typebox'
import { HOUR_MS } from '../../core/duration.ts'
import { deliveredShare, type EndedDeliveries } from '../../core/stats/summary.ts'
import type { WebhookHours } from '../../storage/storage.ts'
import { closed, time } from '../shared/schemas.ts'
import {
  endedJson,
  endedMembers,
  percentilesJson,
  responseSchema,
  successRateSchema,
} from '../shared/stats.ts'
import { isoTime } from '../shared/time.ts'

const HOURS = 24

const attempts = {
  succeeded: Type.Integer({ description: 'Attempts that succeeded.' }),
  failed: Type.Integer({ description: 'Attempts that failed.' }),
}

export const lastDaySchema = closed(
  {
    deliveries: closed(endedMembers, { description: 'Deliveries that ended.' }),
    success_rate: successRateSchema,
    ...attempts,
    response_ms: responseSchema,
    hours: Type.Array(
      closed({
        at: time('When the hour began.'),
        delivered: Type.Integer({ description: 'Deliveries that arrived.' }),
        undelivered: Type.Integer({ description: 'Deliveries that failed or were canceled.' }),
        ...attempts,
      }),
      {
        description: 'Its hours, oldest first. The last one is not over.',
        minItems: HOURS,
        maxItems: HOURS,
      },
    ),
  },
  {
    description: 'Deliveries and attempts of the last 24 hours, counted from the start of an hour.',
  },
)

/** The hours of the last day at `now`. @returns Unix ms; `to` is exclusive */
export function lastDayAt(now: number): { readonly from: number; readonly to: number } {
  const to = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS
  return { from: to - HOURS * HOUR_MS, to }
}

export function lastDayJson(from: number, { hours, responseMs }: WebhookHours): Static<typeof lastDaySchema> {
  const byTime = new Map(hours.map((hour) => [hour.at, hour]))
  const deliveries = { delivered: 0, atFirst: 0, failed: 0, canceled: 0 }
  const attempts = { succeeded: 0, failed: 0 }
  const day = Array.from({ length: HOURS }, (_, hour) => {
    const at = from + hour * HOUR_MS
    const { succeeded = 0, failed = 0, deliveries: ended = NONE } = byTime.get(at) ?? {}
    attempts.succeeded += succeeded
    attempts.failed += failed
    for (const key of ENDS) deliveries[key] += ended[key]
    const undelivered = ended.failed + ended.canceled
    return { at: isoTime(at), delivered: ended.delivered, undelivered, succeeded, failed }
  })
  return {
    deliveries: endedJson(deliveries),
    success_rate: deliveredShare(deliveries),
    ...attempts,
    response_ms: percentilesJson(responseMs),
    hours: day,
  }
}

const NONE: EndedDeliveries = { delivered: 0, atFirst: 0, failed: 0, canceled: 0 }
const ENDS = ['delivered', 'atFirst', 'failed', 'canceled'] as const
