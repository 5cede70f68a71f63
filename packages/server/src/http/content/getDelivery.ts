import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { webhookOrNull } from '../shared/webhooks.ts'
import {
  DeliveryWithRequestsSchema,
  deliveryParams,
  deliveryWithRequestsJson,
  findDeliveryOf,
} from './delivery.ts'

const schema = {
  operationId: 'getContentDelivery',
  tags: ['Deliveries'],
  summary: 'Read a delivery',
  description: 'With each attempt, the request that it sent and what the receiver answered.',
  params: deliveryParams,
  response: { 200: DeliveryWithRequestsSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getDelivery: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/:id/deliveries/:did',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const delivery = await findDeliveryOf(ctx, workspace, request.params)
      const [requests, webhook] = await Promise.all([
        ctx.engine.sentRequests(workspace, delivery),
        webhookOrNull(ctx, workspace, request.params.id),
      ])
      const sent = { requests, createdBy: webhook?.createdBy ?? null }
      return deliveryWithRequestsJson(ctx, caller, delivery, sent)
    },
  )
}
