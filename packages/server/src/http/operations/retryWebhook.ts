import { changing, idempotencyHeaders } from '../shared/changes.ts'
import { refusedSend } from '../shared/deliveries.ts'
import { rateLimitHeaders } from '../shared/rateLimit.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { retryJson, retrySchema } from './retry.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const retryWebhook = operation({
  name: 'retryWebhook',
  method: 'POST',
  path: () => '/webhooks/:id/retry',
  isIn: ({ operations }) => operations.retry !== null,
  access: ({ operations }) => ({ scopes: operations.retry?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    const { a, deliveries: of } = receiverWords(profile)
    return {
      operationId: `retry${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `Retry the pending deliveries ${of} ${a}`,
      description: [
        'Retries one delivery first. Each time a whole batch is delivered, the next batch is twice as large, up to the limit of attempts in flight. The first failed attempt stops the retry; the other deliveries keep their schedule. If a retry is already running, nothing changes.',
        ...manualLimit(profile),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      response: {
        202: retrySchema(service),
        ...manualSendProblems(profile),
      },
    }
  },
  async run({ ctx, caller: { workspace }, request, reply, params }) {
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const result = await changing(ctx, request, (by) => ctx.engine.retryWebhook(workspace, webhook, by))
    if (result.outcome !== 'accepted') throw refusedSend(ctx, request, result, 'webhook')
    reply.code(202).headers(rateLimitHeaders(ctx.dialect, result.limit))
    return retryJson(result.retry)
  },
})
