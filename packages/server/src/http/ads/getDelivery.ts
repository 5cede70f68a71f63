import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { findDelivery } from '../shared/deliveries.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { DeliveryWithRequestsSchema, deliveryParams, deliveryWithRequestsJson } from './delivery.ts'

const schema = {
  operationId: 'getAdsDelivery',
  tags: ['Deliveries'],
  summary: 'Read a delivery',
  description: 'With each attempt, the request that it sent and what the receiver answered.',
  params: deliveryParams,
  response: { 200: DeliveryWithRequestsSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getDelivery: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhook-deliveries/:id',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const delivery = await findDelivery(ctx, workspace, request.params.id)
      const requests = await ctx.engine.sentRequests(workspace, delivery)
      return deliveryWithRequestsJson(ctx, caller, delivery, requests)
    },
  )
}
