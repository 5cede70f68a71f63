import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook, manualSend } from '../shared/webhooks.ts'
import { deliveryJson } from './present.ts'
import { DeliverySchema, webhookParams } from './schemas.ts'

const schema = {
  operationId: 'testContentWebhook',
  tags: ['Webhooks'],
  summary: 'Send a test',
  description:
    'Sends a `webhook.test` event to this webhook alone, now. Tests and redeliveries share 10 per minute and workspace.',
  params: webhookParams,
  response: {
    202: DeliverySchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'webhook_not_on', 'rate_limited'),
  },
}

export const testWebhook: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/test',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request, reply) => {
      const { workspace, creator } = callerOf(request)
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      const result = await ctx.engine.sendTest(workspace, webhook, creator.publicId)
      reply.code(202)
      return deliveryJson(ctx, workspace, manualSend(result, 'delivery_not_finished'))
    },
  )
}
