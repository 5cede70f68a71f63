import { callerOf, guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { sendManually } from '../shared/deliveries.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { DeliverySchema, deliveryJson } from './delivery.ts'
import { webhookParams } from './webhook.ts'

const schema = {
  operationId: 'testContentWebhook',
  tags: ['Webhooks'],
  summary: 'Send a test',
  description:
    'Sends a `webhook.test` event to this webhook alone, now. Tests and redeliveries share 10 per minute and workspace.',
  params: webhookParams,
  headers: idempotencyHeaders,
  response: {
    202: DeliverySchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'webhook_not_on',
      'rate_limited',
      'quota_exceeded',
    ),
  },
}

export const testWebhook: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/test',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      const delivery = await sendManually(ctx, request, reply, 'delivery_not_finished', (by) =>
        ctx.engine.sendTest(workspace, webhook, by),
      )
      return deliveryJson(ctx, caller, delivery)
    },
  )
}
