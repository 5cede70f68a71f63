import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { FiguresSchema, figuresOf, periodQuery, subjectIn, webhookQuery } from '../shared/figures.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceParams } from './params.ts'

const schema = {
  operationId: 'getWorkspaceFigures',
  tags: ['Figures'],
  summary: 'Read the stats of a workspace',
  description:
    'Events, ended deliveries, attempts and their durations over a period up to now, of the workspace or of one of its webhooks. Includes the last seconds. Tests do not count.',
  params: workspaceParams,
  querystring: closed({ period: periodQuery, webhook_id: webhookQuery }),
  response: { 200: FiguresSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS, 'invalid_request') },
}

export const getFigures: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/figures',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { period = '24h', webhook_id: webhook } = request.query
      const subject = await subjectIn(ctx, callerOf(request).workspace, webhook)
      return figuresOf(ctx, subject, period, false)
    },
  )
}
