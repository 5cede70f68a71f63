import { Type } from 'typebox'
import { ATTEMPT_ERROR_CODES } from '../../core/delivery.ts'
import { type Period, stepsOf } from '../../core/stats/periods.ts'
import { attemptsOf, summaryOf } from '../../core/stats/summary.ts'
import type { RankedStats } from '../../storage/storage.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable, oneOf, time } from '../shared/schemas.ts'
import { periodQuery } from '../shared/stats.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import {
  RankedWorkspaceSchema,
  rank,
  rankedJson,
  rankedMembers,
  rankedWorkspaceJson,
  rankLimitQuery,
} from './ranking.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const FailingWebhookSchema = closed(
  {
    workspace: RankedWorkspaceSchema,
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    url: Type.String({ description: 'The URL that receives its requests.' }),
    description: Type.String({ description: 'Its description.' }),
    status: oneOf(['on', 'off', 'paused'], 'Whether events are sent to it now.'),
    failing_since: nullable(time('The first failed attempt since the last success.')),
    ...rankedMembers,
    last_error: nullable(
      closed(
        {
          code: oneOf(ATTEMPT_ERROR_CODES, 'Why it failed.'),
          message: Type.String({ description: 'What to do about it.' }),
          at: time('Start of the attempt.'),
        },
        {
          title: 'LastError',
          description:
            'The error of its latest failed attempt; null: none of its newest 100 deliveries failed.',
        },
      ),
    ),
  },
  { title: 'FailingWebhook' },
)

const schema = {
  operationId: 'listFailingWebhooks',
  tags: ['Stats'],
  summary: 'List the webhooks that fail most',
  description:
    'The webhooks with the most failed attempts in a period up to now, highest first. The last seconds may be missing. With `now=true`: the webhooks that are failing now, longest failing first, with their stats of the period.',
  querystring: closed({
    period: periodQuery,
    limit: rankLimitQuery,
    now: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Only webhooks that are failing now: every attempt since their last success failed.',
      }),
    ),
  }),
  response: {
    200: closed({ data: Type.Array(FailingWebhookSchema) }, { title: 'FailingWebhookList' }),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listFailingWebhooks: Route = (app, ctx) => {
  app.get('/admin/v1/failing-webhooks', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const { period = '24h', limit = 10, now = false } = request.query
    const found = now
      ? await ctx.storage.stats.listFailing({ workspaceId: null, limit, after: null })
      : await rank(ctx, { scope: 'webhook', by: 'failed' }, period)
    const data = await described(ctx, { ids: found.map(({ id }) => id), period, limit })
    // The stats of the last seconds, which the ranking lacks, may change the order.
    return { data: now ? data : data.sort((one, other) => other.failed - one.failed) }
  })
}

/** Both lists read these stats, so that they agree. */
async function statsOf(
  { storage, clock }: Context,
  period: Period,
  ids: readonly number[],
): Promise<readonly RankedStats[]> {
  const { unit, from, to } = stepsOf(period, 'webhook', clock.now())
  const stats = await storage.stats.readStats({
    scope: 'webhook',
    ids,
    unit,
    stepMs: to - from,
    from,
    to,
  })
  const countsOf = new Map(stats.map(({ id, counts }) => [id, counts]))
  return ids.map((id) => {
    const summary = summaryOf(countsOf.get(id) ?? new Map(), 'webhook')
    const { events, deliveries } = summary
    const { all: attempts, failed } = attemptsOf(summary)
    return { id, events, attempts, failed, deliveries }
  })
}

/** A few at a time, since finding the last error of one reads its deliveries. */
async function described(
  ctx: Context,
  {
    ids,
    period,
    limit,
  }: { readonly ids: readonly number[]; readonly period: Period; readonly limit: number },
) {
  const data = []
  for (let at = 0; at < ids.length && data.length < limit; at += limit) {
    const webhookIds = ids.slice(at, at + limit)
    const [found, stats] = await Promise.all([
      ctx.storage.stats.describeWebhooks({ webhookIds }),
      statsOf(ctx, period, webhookIds),
    ])
    const byId = new Map(found.map((one) => [one.webhook.id, one]))
    for (const counted of stats) {
      const one = byId.get(counted.id)
      if (one === undefined) continue
      const { webhook, workspace, lastError } = one
      data.push({
        workspace: rankedWorkspaceJson(workspace),
        webhook_id: webhook.publicId,
        url: webhook.url,
        description: webhook.description,
        status: webhook.status,
        failing_since: isoTimeOrNull(webhook.failingSince),
        ...rankedJson(counted),
        last_error: lastError === null ? null : { ...lastError, at: isoTime(lastError.at) },
      })
    }
  }
  return data.slice(0, limit)
}
