import { KEY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { retryJson, retrySchema } from './retry.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const getRetry = operation({
  name: 'getRetry',
  method: 'GET',
  path: () => '/webhooks/:id/retry',
  isIn: ({ operations }) => operations.retry !== null,
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: (service) => ({
    operationId: `get${serviceTitle(service.profile)}Retry`,
    tags: ['Webhooks'],
    summary: `Read the latest retry of the pending deliveries ${receiverWords(service.profile).deliveries} ${receiverWords(service.profile).a}`,
    description: 'Poll until its status is no longer `running`. 404 if there has been none.',
    params: webhookParams(service),
    response: { 200: retrySchema(service), ...problemResponses(...KEY_PROBLEMS) },
  }),
  async run({ ctx, caller: { workspace }, params }) {
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const retry = await ctx.storage.log.getWebhookRetry({ webhookId: webhook.id })
    if (retry === null) throw notFound('retry')
    return retryJson(retry)
  },
})
