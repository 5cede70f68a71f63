import { callerOf, guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { findDelivery, sendManually } from '../shared/deliveries.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { DeliverySchema, deliveryJson, deliveryParams } from './delivery.ts'

const schema = {
  operationId: 'replayAdsDelivery',
  tags: ['Deliveries'],
  summary: 'Replay a dead delivery',
  description: 'Makes it pending again, due now, with all attempts of a new delivery.',
  params: deliveryParams,
  headers: idempotencyHeaders,
  response: {
    202: DeliverySchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'delivery_not_dead',
      'webhook_not_on',
      'quota_exceeded',
    ),
  },
}

export const replayDelivery: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhook-deliveries/:id/replay',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const delivery = await findDelivery(ctx, workspace, request.params.id)
      const sent = await sendManually(ctx, request, reply, 'delivery_not_dead', (by) =>
        ctx.engine.replay(workspace, delivery, by),
      )
      return deliveryJson(ctx, caller, sent)
    },
  )
}
