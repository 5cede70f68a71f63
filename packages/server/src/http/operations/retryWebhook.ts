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
      summary: `Retry the pending deliveries ${of} ${a}`,
      description: [
        'Retries one delivery first. Each time all of a batch are delivered, the next batch is twice as large, up to the limit of attempts in flight. The first failed attempt stops it; the other deliveries keep their schedule. If a retry is running, nothing changes.',
        ...manualLimit(profile),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      response: {
        202: titled(service, 'Retry', 'Retry', {
          status: oneOf(
            STATUSES,
            `\`failed\`: an attempt failed, and the retry stopped. \`stopped\`: the ${one} was paused or disabled.`,
          ),
          asked_at: time('When it was requested.'),
          pending: Type.Integer({
            description: `Pending deliveries ${of} this ${one}. Counting stops at 1,000.`,
          }),
          has_more: Type.Boolean({ description: 'Whether there are more than were counted.' }),
          delivered: Type.Integer({ description: 'Deliveries that it retried and that were delivered.' }),
        }),
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

const retryJson = ({ outcome, askedAt, pending, more, delivered }: WebhookRetry): object => ({
  status: outcome ?? 'running',
  asked_at: isoTime(askedAt),
  pending,
  has_more: more,
  delivered,
})
