import { callerOf, guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { sendManually } from '../shared/deliveries.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { DeliverySchema, deliveryJson, deliveryParams, findDeliveryOf } from './delivery.ts'

const schema = {
  operationId: 'redeliverContentDelivery',
  tags: ['Deliveries'],
  summary: 'Send a finished delivery again',
  description:
    'Makes one more attempt, with the same `webhook-id` and the same bytes. Tests and redeliveries share 10 per minute and workspace.',
  params: deliveryParams,
  headers: idempotencyHeaders,
  response: {
    202: DeliverySchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'delivery_not_finished',
      'webhook_not_on',
      'rate_limited',
      'quota_exceeded',
    ),
  },
}

export const redeliver: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/deliveries/:did/redeliver',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const delivery = await findDeliveryOf(ctx, workspace, request.params)
      const sent = await sendManually(ctx, request, reply, 'delivery_not_finished', (by) =>
        ctx.engine.redeliver(workspace, delivery, by),
      )
      return deliveryJson(ctx, caller, sent)
    },
  )
}
