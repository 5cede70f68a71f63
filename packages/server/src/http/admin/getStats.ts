import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import { invalidRequest, problemResponses } from '../shared/problems.ts'
import { closed, reference } from '../shared/schemas.ts'
import {
  periodQuery,
  StatsSchema,
  type StatsSubject,
  statsOf,
  subjectIn,
  webhookQuery,
} from '../shared/stats.ts'
import { workspaceOrNull } from './find.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'getStats',
  tags: ['Stats'],
  summary: 'Read stats',
  description:
    'Events, ended deliveries, attempts and their durations over a period up to now: of the whole service, a workspace or a webhook. For the whole service also the queue. Includes the last seconds. Tests do not count.',
  querystring: closed({
    period: periodQuery,
    workspace: Type.Optional(reference('Only this workspace: its id or slug.')),
    webhook_id: webhookQuery,
  }),
  response: { 200: StatsSchema, ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request') },
}

export const getStats: Route = (app, ctx) => {
  app.get('/admin/v1/stats', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const { period = '24h', workspace, webhook_id: webhook } = request.query
    const subject = await subjectOf(ctx, workspace, webhook)
    return statsOf(ctx, subject, period, subject.scope === 'all')
  })
}

async function subjectOf(
  ctx: Context,
  workspace: string | undefined,
  webhook: string | undefined,
): Promise<StatsSubject> {
  if (workspace === undefined) {
    if (webhook === undefined) return { scope: 'all', id: 0 }
    throw refused('is required with webhook_id: the workspace of the webhook')
  }
  const found = await workspaceOrNull(ctx, workspace)
  if (found === null) throw refused('is not a workspace')
  return subjectIn(ctx, found, webhook)
}

const refused = (message: string) => invalidRequest([{ pointer: '/workspace', message }], 'query string')
