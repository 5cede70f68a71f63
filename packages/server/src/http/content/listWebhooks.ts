import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceParams } from './common.ts'
import { WebhookSchema, webhookJson } from './webhook.ts'

const schema = {
  operationId: 'listContentWebhooks',
  tags: ['Webhooks'],
  summary: 'List webhooks',
  description: 'All webhooks of the workspace, newest first, whoever created them.',
  params: workspaceParams,
  querystring: closed(pageQuery),
  response: {
    200: pageOf(WebhookSchema, 'WebhookPage'),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listWebhooks: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const scope = { list: 'webhooks' as const, ownerId: workspace.id }
      const page = await readPage(ctx, scope, request.query, (range) =>
        ctx.storage.webhooks.listWebhooks({ workspaceId: workspace.id, ...range }),
      )
      return { data: page.rows.map((webhook) => webhookJson(caller, webhook)), next_cursor: page.nextCursor }
    },
  )
}
