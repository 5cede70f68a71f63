import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { setETag } from '../shared/etag.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { WebhookSchema, webhookJson, webhookParams } from './webhook.ts'

const schema = {
  operationId: 'getContentWebhook',
  tags: ['Webhooks'],
  summary: 'Read a webhook',
  description: 'Any webhook of the workspace, whoever created it; its secret is not shown again.',
  params: webhookParams,
  response: { 200: WebhookSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getWebhook: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/:id',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request, reply) => {
      const caller = callerOf(request)
      const webhook = await findWebhook(ctx, caller.workspace, request.params.id)
      setETag(reply, webhook)
      return webhookJson(caller, webhook)
    },
  )
}
