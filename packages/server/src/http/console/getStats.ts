import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { periodQuery, StatsSchema, statsOf, subjectIn, webhookQuery } from '../shared/stats.ts'
import { workspaceParams } from './params.ts'

const schema = {
  operationId: 'getWorkspaceStats',
  tags: ['Stats'],
  summary: 'Read the stats of a workspace',
  description:
    'Events, ended deliveries, attempts and their durations over a period up to now, of the workspace or of one of its webhooks. Includes the last seconds. Tests do not count.',
  params: workspaceParams,
  querystring: closed({ period: periodQuery, webhook_id: webhookQuery }),
  response: { 200: StatsSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS, 'invalid_request') },
}

export const getStats: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/stats',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { period = '24h', webhook_id: webhook } = request.query
      const subject = await subjectIn(ctx, callerOf(request).workspace, webhook)
      return statsOf(ctx, subject, period, false)
    },
  )
}
