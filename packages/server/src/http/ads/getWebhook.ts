import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { setETag } from '../shared/etag.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { WebhookSchema, webhookJson, webhookParams } from './webhook.ts'

const schema = {
  operationId: 'getAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Read a webhook endpoint',
  description: 'Any endpoint of the workspace, whoever registered it; its secret is not shown again.',
  params: webhookParams,
  response: { 200: WebhookSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getWebhook: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhooks/:id',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'all' }) },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      setETag(reply, webhook)
      return webhookJson(webhook)
    },
  )
}
