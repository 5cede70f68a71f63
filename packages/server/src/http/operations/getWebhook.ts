import { setETag } from '../shared/etag.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { webhookParams, webhookReadJson, webhookReadSchema } from './webhook.ts'
import { capitalized, receiverWords, serviceTitle } from './words.ts'

export const getWebhook = operation({
  name: 'getWebhook',
  method: 'GET',
  path: () => '/webhooks/:id',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { aFull, one, created } = receiverWords(service.profile)
    return {
      operationId: `get${serviceTitle(service.profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `Read ${aFull}`,
      description: `${capitalized(`any ${one}`)} of the workspace, including those that others ${created}. The secret is not shown again.`,
      params: webhookParams(service),
      response: { 200: webhookReadSchema(service), ...problemResponses(...KEY_PROBLEMS) },
    }
  },
  async run({ ctx, caller, reply, params }) {
    const webhook = await findWebhook(ctx, caller.workspace, params.id!)
    setETag(reply, webhook)
    return webhookReadJson(ctx, caller, webhook)
  },
})
