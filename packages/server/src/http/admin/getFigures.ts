import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import {
  type FigureSubject,
  FiguresSchema,
  figuresOf,
  periodQuery,
  subjectIn,
  webhookQuery,
} from '../shared/figures.ts'
import { invalidRequest, problemResponses } from '../shared/problems.ts'
import { closed, reference } from '../shared/schemas.ts'
import { workspaceOrNull } from './find.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'getFigures',
  tags: ['Figures'],
  summary: 'Read figures',
  description:
    'Events, ended deliveries, attempts and their durations over a period up to now: of the whole service, a workspace or a webhook. For the whole service also the queue. Includes the last seconds. Tests do not count.',
  querystring: closed({
    period: periodQuery,
    workspace: Type.Optional(reference('Only this workspace: its id or slug.')),
    webhook_id: webhookQuery,
  }),
  response: { 200: FiguresSchema, ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request') },
}

export const getFigures: Route = (app, ctx) => {
  app.get('/admin/v1/figures', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const { period = '24h', workspace, webhook_id: webhook } = request.query
    const subject = await subjectOf(ctx, workspace, webhook)
    return figuresOf(ctx, subject, period, subject.scope === 'all')
  })
}

async function subjectOf(
  ctx: Context,
  workspace: string | undefined,
  webhook: string | undefined,
): Promise<FigureSubject> {
  if (workspace === undefined) {
    if (webhook === undefined) return { scope: 'all', id: 0 }
    throw refused('is required with webhook_id: the workspace of the webhook')
  }
  const found = await workspaceOrNull(ctx, workspace)
  if (found === null) throw refused('is not a workspace')
  return subjectIn(ctx, found, webhook)
}

const refused = (message: string) => invalidRequest([{ pointer: '/workspace', message }], 'query string')
