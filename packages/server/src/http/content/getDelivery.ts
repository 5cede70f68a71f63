import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findDeliveryOf } from './findDelivery.ts'
import { deliveryJson } from './present.ts'
import { DeliverySchema, deliveryParams } from './schemas.ts'

const schema = {
  operationId: 'getContentDelivery',
  tags: ['Deliveries'],
  summary: 'Read a delivery',
  params: deliveryParams,
  response: { 200: DeliverySchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getDelivery: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/:id/deliveries/:did',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request) => {
      const { workspace } = callerOf(request)
      return deliveryJson(ctx, workspace, await findDeliveryOf(ctx, workspace, request.params))
    },
  )
}
