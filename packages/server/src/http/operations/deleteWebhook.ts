import { ifMatchHeaders } from '../shared/etag.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { remove } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const deleteWebhook = operation({
  name: 'deleteWebhook',
  method: 'DELETE',
  path: () => '/webhooks/:id',
  access: ({ access }) => ({ scopes: access.change, members: 'owners' }),
  schema(service) {
    const { aFull, a, created } = receiverWords(service.profile)
    return {
      operationId: `delete${serviceTitle(service.profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `Delete ${aFull}`,
      description: `Cancels its pending deliveries and removes its log. A key can delete only ${a} that it ${created}; a signed-in owner, any.`,
      params: webhookParams(service),
      headers: ifMatchHeaders,
      response: { 204: noContent, ...problemResponses(...WEBHOOK_CHANGE_PROBLEMS) },
    }
  },
  async run({ ctx, request, reply }) {
    await remove(ctx, request)
    reply.code(204)
    return null
  },
})
