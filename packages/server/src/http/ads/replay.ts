import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findDelivery, manualSend } from '../shared/webhooks.ts'
import { deliveryJson } from './present.ts'
import { deliveryParams, EndpointDeliverySchema } from './schemas.ts'

const schema = {
  operationId: 'replayAdsDelivery',
  tags: ['Deliveries'],
  summary: 'Replay a dead delivery',
  description: 'Makes it pending again, due now, with 8 fresh attempts.',
  params: deliveryParams,
  response: {
    202: EndpointDeliverySchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...BODY_PROBLEMS,
      'delivery_not_dead',
      'webhook_not_on',
      'rate_limited',
    ),
  },
}

export const replay: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhook-deliveries/:id/replay',
    { schema, onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['webhooks'] }) },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const delivery = await findDelivery(ctx, workspace, request.params.id)
      const result = await ctx.engine.replay(workspace, delivery)
      reply.code(202)
      return deliveryJson(ctx, workspace, manualSend(result, 'delivery_not_dead'))
    },
  )
}
