import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually } from '../shared/deliveries.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { deliveryJson, deliverySchema } from './delivery.ts'
import { operation } from './operation.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const testWebhook = operation({
  name: 'testWebhook',
  method: 'POST',
  path: () => '/webhooks/:id/test',
  isIn: ({ operations }) => operations.test !== null,
  access: ({ operations }) => ({ scopes: operations.test?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile, testEvent } = service
    return {
      operationId: `test${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: 'Send a test',
      description: [
        `Sends a \`${testEvent!.type}\` event to this ${receiverWords(profile).one} alone, now.`,
        ...manualLimit(profile),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      response: {
        202: deliverySchema(service),
        ...manualSendProblems(profile),
      },
    }
  },
  async run({ ctx, caller, request, reply, params }) {
    const { workspace } = caller
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const delivery = await sendManually(ctx, request, reply, 'delivery_not_finished', (by) =>
      ctx.engine.sendTest(workspace, webhook, by),
    )
    return deliveryJson(ctx, caller, delivery)
  },
})
