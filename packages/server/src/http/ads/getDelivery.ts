import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findDelivery } from '../shared/webhooks.ts'
import { deliveryJson } from './present.ts'
import { deliveryParams, EndpointDeliverySchema } from './schemas.ts'

const schema = {
  operationId: 'getAdsDelivery',
  tags: ['Deliveries'],
  summary: 'Read a delivery',
  params: deliveryParams,
  response: { 200: EndpointDeliverySchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getDelivery: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhook-deliveries/:id',
    { schema, onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['webhooks'] }) },
    async (request) => {
      const { workspace } = callerOf(request)
      return deliveryJson(ctx, workspace, await findDelivery(ctx, workspace, request.params.id))
    },
  )
}
