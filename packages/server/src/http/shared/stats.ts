import { type Static, Type } from 'typebox'
import { PERIODS, type Period, stepsOf } from '../../core/stats/periods.ts'
import {
  attemptsShare,
  deliveredShare,
  type EndedDeliveries,
  type Percentiles,
  type Summary,
  summaryOf,
} from '../../core/stats/summary.ts'
import { addTally, type Tally } from '../../core/stats/tally.ts'
import type { StatsScope } from '../../core/stats/units.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { QueuePeak } from '../../storage/storage.ts'
import type { Context } from './context.ts'
import { invalidRequest } from './problems.ts'
import { closed, nullable, oneOf, reference, time } from './schemas.ts'
import { isoTime } from './time.ts'
import { webhookOrNull } from './webhooks.ts'

/** Members of whatever says how deliveries ended. */
export const endedMembers = {
  delivered: Type.Integer({ description: 'Delivered deliveries: the receiver answered with 2xx.' }),
  delivered_first_attempt: Type.Integer({
    description: 'Deliveries that were delivered at the first attempt.',
  }),
  failed: Type.Integer({
    description: 'Deliveries whose last attempt failed. Some services call them dead.',
  }),
  canceled: Type.Integer({
    description:
      'Deliveries that were canceled: their webhook was disabled or deleted, or they were pending for too long.',
  }),
}

const DeliveryCountsSchema = closed(endedMembers, {
  title: 'DeliveryCounts',
  description:
    'Deliveries that ended in this period. Each counts once, at its latest end: a delivery that is sent again does not count until it ends again. Tests do not count.',
})

export const endedJson = ({ delivered, atFirst, failed, canceled }: EndedDeliveries) => ({
  delivered,
  delivered_first_attempt: atFirst,
  failed,
  canceled,
})

export const successRateSchema = nullable(
  Type.Number({
    description:
      'Delivered ÷ finished deliveries (delivered, failed, canceled), 0 to 1; null: none finished.',
  }),
)

const PercentilesSchema = (off: string, title: string) =>
  closed(
    {
      p50: Type.Number({ description: '50th percentile.' }),
      p95: Type.Number({ description: '95th percentile.' }),
      p99: Type.Number({ description: '99th percentile.' }),
    },
    { title, description: `In milliseconds, accurate to ${off}.` },
  )

/** How long receivers took. */
export const responseSchema = nullable(PercentilesSchema('3 %', 'ResponseTimes'))

const summaryMembers = {
  events: Type.Integer({
    description: 'Published events; for a webhook, events that were attempted for the first time.',
  }),
  deliveries: DeliveryCountsSchema,
  attempts: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description:
      'Attempts by outcome: `delivered`, or the error code. Outcomes that did not occur are omitted.',
    examples: [{ delivered: 41, http_status: 3 }],
  }),
  response_ms: responseSchema,
  delivery_ms: nullable(PercentilesSchema('8 %', 'DeliveryTimes')),
}

const PointSchema = closed(
  {
    at: time('Start of this step.'),
    ...summaryMembers,
    pending: nullable(
      Type.Integer({
        description:
          'Maximum number of pending deliveries, counted once per minute. Only for operators, for the whole service.',
      }),
    ),
    oldest_due_s: nullable(
      Type.Number({
        description: 'Maximum age of the oldest due delivery, in seconds. Available like `pending`.',
      }),
    ),
  },
  { title: 'StatsPoint' },
)

export const StatsSchema = closed(
  {
    period: oneOf(PERIODS, 'The period up to now.'),
    from: time('Start of the first step.'),
    to: time('End of the period: now.'),
    step_s: Type.Integer({ description: 'Length of a step in seconds.' }),
    points: Type.Array(PointSchema, {
      description: 'All steps, oldest first. The last one is not complete.',
    }),
    totals: closed(
      {
        ...summaryMembers,
        success_rate: successRateSchema,
        attempt_success_rate: nullable(
          Type.Number({ description: 'The share of attempts that succeeded, 0 to 1; null: there was none.' }),
        ),
      },
      { title: 'StatsTotals' },
    ),
  },
  { title: 'Stats' },
)

export const periodQuery = Type.Optional(
  Type.Unsafe<Period>({
    type: 'string',
    enum: PERIODS,
    default: '24h',
    description: 'The period up to now.',
  }),
)
export const webhookQuery = Type.Optional(reference('Only this webhook.'))

/** What stats are asked for of. */
export interface StatsSubject {
  readonly scope: StatsScope
  /** Of the webhook or workspace; 0 of everything. */
  readonly id: number
}

/** @throws Problem `invalid_request` when the workspace has no such webhook */
export async function subjectIn(
  ctx: Context,
  workspace: Workspace,
  webhook: string | undefined,
): Promise<StatsSubject> {
  if (webhook === undefined) return { scope: 'workspace', id: workspace.id }
  const dialect = dialectOf(ctx.dialects, workspace.dialect)
  const found = await webhookOrNull({ storage: ctx.storage, dialect }, workspace, webhook)
  if (found !== null) return { scope: 'webhook', id: found.id }
  throw invalidRequest(
    [{ pointer: '/webhook_id', message: 'is not a webhook of this workspace' }],
    'query string',
  )
}

/** @param withQueue whether it also says how the queue stood */
export async function statsOf(
  { storage, clock }: Context,
  { scope, id }: StatsSubject,
  period: Period,
  withQueue: boolean,
): Promise<Static<typeof StatsSchema>> {
  const now = clock.now()
  const { unit, stepMs, from, to } = stepsOf(period, scope, now)
  const [stats, peaks] = await Promise.all([
    storage.stats.readStats({ scope, ids: [id], unit, stepMs, from, to }),
    withQueue ? storage.stats.queuePeaks({ from, to, stepMs }) : [],
  ])
  const byTime = new Map(stats.map(({ at, counts }) => [at, counts]))
  const peakAt = new Map(peaks.map((peak) => [peak.at, peak]))
  const total: Tally = new Map()
  for (const { counts } of stats) addTally(total, counts)
  const starts = Array.from({ length: Math.round((to - from) / stepMs) }, (_, step) => from + step * stepMs)
  const totals = summaryOf(total, scope)
  return {
    period,
    from: isoTime(from),
    to: isoTime(now),
    step_s: stepMs / 1000,
    points: starts.map((at) => ({
      at: isoTime(at),
      ...summaryJson(summaryOf(byTime.get(at) ?? new Map(), scope)),
      ...queueJson(peakAt.get(at)),
    })),
    totals: {
      ...summaryJson(totals),
      success_rate: deliveredShare(totals.deliveries),
      attempt_success_rate: attemptsShare(totals),
    },
  }
}

const summaryJson = ({ events, deliveries, attempts, responseMs, deliveryMs }: Summary) => ({
  events,
  deliveries: endedJson(deliveries),
  attempts: { ...attempts },
  response_ms: percentilesJson(responseMs),
  delivery_ms: percentilesJson(deliveryMs),
})

export const percentilesJson = (percentiles: Percentiles | null) =>
  percentiles === null ? null : { ...percentiles }

const queueJson = (peak: QueuePeak | undefined) => ({
  pending: peak?.pending ?? null,
  oldest_due_s: peak === undefined ? null : peak.oldestDueMs / 1000,
})
