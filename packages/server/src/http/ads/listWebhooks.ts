import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { adsPageOf, pageQuery, readPage } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { WebhookSchema, webhookJson } from './webhook.ts'

const schema = {
  operationId: 'listAdsWebhooks',
  tags: ['Webhooks'],
  summary: 'List webhook endpoints',
  description: 'All endpoints of the workspace, newest first, whoever registered them.',
  querystring: closed(pageQuery),
  response: {
    200: adsPageOf(WebhookSchema, 'EndpointPage'),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listWebhooks: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhooks',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const { workspace } = callerOf(request)
      const scope = { list: 'webhooks' as const, ownerId: workspace.id }
      const page = await readPage(ctx, scope, request.query, (range) =>
        ctx.storage.webhooks.listWebhooks({ workspaceId: workspace.id, ...range }),
      )
      return { data: page.rows.map(webhookJson), nextCursor: page.nextCursor }
    },
  )
}
