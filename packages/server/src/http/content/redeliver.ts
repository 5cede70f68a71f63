import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { manualSend } from '../shared/webhooks.ts'
import { findDeliveryOf } from './findDelivery.ts'
import { deliveryJson } from './present.ts'
import { DeliverySchema, deliveryParams } from './schemas.ts'

const schema = {
  operationId: 'redeliverContentDelivery',
  tags: ['Deliveries'],
  summary: 'Send a finished delivery again',
  description:
    'Makes one more attempt, with the same `webhook-id` and the same bytes. Tests and redeliveries share 10 per minute and workspace.',
  params: deliveryParams,
  response: {
    202: DeliverySchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...BODY_PROBLEMS,
      'delivery_not_finished',
      'webhook_not_on',
      'rate_limited',
    ),
  },
}

export const redeliver: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/deliveries/:did/redeliver',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const delivery = await findDeliveryOf(ctx, workspace, request.params)
      const result = await ctx.engine.redeliver(workspace, delivery)
      reply.code(202)
      return deliveryJson(ctx, workspace, manualSend(result, 'delivery_not_finished'))
    },
  )
}
