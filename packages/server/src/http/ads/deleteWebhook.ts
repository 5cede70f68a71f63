import { guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeaders } from '../shared/etag.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { remove } from '../shared/webhooks.ts'
import { webhookParams } from './webhook.ts'

const schema = {
  operationId: 'deleteAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Delete a webhook endpoint',
  description:
    'Its pending deliveries are canceled, and its log is gone. A key deletes only an endpoint that it registered; an owner who is signed in, any.',
  params: webhookParams,
  headers: ifMatchHeaders,
  response: {
    204: noContent,
    ...problemResponses(...WEBHOOK_CHANGE_PROBLEMS),
  },
}

export const deleteWebhook: DialectRoute = (app, ctx) => {
  app.delete(
    '/api/v1/webhooks/:id',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      await remove(ctx, request)
      reply.code(204)
      return null
    },
  )
}
