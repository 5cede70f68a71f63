import { Type } from 'typebox'
import type { WebhookRetry } from '../../storage/rows.ts'
import { changing, idempotencyHeaders } from '../shared/changes.ts'
import { refusedSend } from '../shared/deliveries.ts'
import { rateLimitHeaders } from '../shared/rateLimit.ts'
import { oneOf, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { operation } from './operation.ts'
import { manualLimit, manualSendProblems, titled } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

const STATUSES = ['running', 'done', 'failed', 'stopped'] as const

export const retryWebhook = operation({
  name: 'retryWebhook',
  method: 'POST',
  path: () => '/webhooks/:id/retry',
  isIn: ({ operations }) => operations.retry !== null,
  access: ({ operations }) => ({ scopes: operations.retry?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    const { one, a, deliveries: of } = receiverWords(profile)
    return {
      operationId: `retry${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: `Make the next attempts of all pending deliveries ${of} ${a} now`,
      description: [
        'Brings one attempt forward; each time that all arrive, twice as many as before. The first failure ends it: what was not brought forward yet keeps its time and its attempts. While it goes on, asking again changes nothing.',
        ...manualLimit(profile),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      response: {
        202: titled(service, 'Retry', 'Retry', {
          status: oneOf(
            STATUSES,
            `Whether it goes on; \`failed\`: a delivery failed; \`stopped\`: the ${one} is no longer on.`,
          ),
          asked_at: time('When it was asked for.'),
          pending: Type.Integer({
            description: `How many deliveries ${of} this ${one} wait, counted as far as 1,000.`,
          }),
          has_more: Type.Boolean({ description: 'Whether there are more than were counted.' }),
          delivered: Type.Integer({ description: 'How many it brought forward that arrived.' }),
        }),
        ...manualSendProblems(profile),
      },
    }
  },
  async run({ ctx, caller: { workspace }, request, reply, params }) {
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const result = await changing(ctx, request, (by) => ctx.engine.retryWebhook(workspace, webhook, by))
    if (result.outcome !== 'accepted') throw refusedSend(ctx, result, 'webhook')
    reply.code(202).headers(rateLimitHeaders(ctx.dialect, result.limit))
    return retryJson(result.retry)
  },
})

const retryJson = ({ outcome, askedAt, pending, more, delivered }: WebhookRetry): object => ({
  status: outcome ?? 'running',
  asked_at: isoTime(askedAt),
  pending,
  has_more: more,
  delivered,
})
