import { Type } from 'typebox'
import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { nextCursor, pageQuery, readPage } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { deliveryJson } from './present.ts'
import { DeliverySchema, webhookParams } from './schemas.ts'

const schema = {
  operationId: 'listContentDeliveries',
  tags: ['Deliveries'],
  summary: 'Read the delivery log',
  description:
    'Deliveries of the webhook with each of their attempts, newest first. They are kept for 30 days.',
  params: webhookParams,
  querystring: closed(pageQuery),
  response: {
    200: closed({ data: Type.Array(DeliverySchema), next_cursor: nextCursor }),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listDeliveries: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/:id/deliveries',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request) => {
      const { workspace } = callerOf(request)
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      const page = await readPage({
        storage: ctx.storage,
        list: 'deliveries',
        ownerId: webhook.id,
        query: request.query,
        read: (range) => ctx.storage.listDeliveries({ webhookId: webhook.id, ...range }),
      })
      return {
        data: page.rows.map((delivery) => deliveryJson(ctx, workspace, delivery)),
        next_cursor: page.nextCursor,
      }
    },
  )
}
