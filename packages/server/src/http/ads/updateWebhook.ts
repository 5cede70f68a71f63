import { guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeaders } from '../shared/etag.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { findOwnWebhook, update } from '../shared/webhooks.ts'
import { readWebhook, WebhookSchema, webhookInput, webhookJson, webhookParams } from './webhook.ts'

const schema = {
  operationId: 'updateAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook endpoint',
  description:
    'Changes the members that are sent. A key changes only an endpoint that it registered; an owner who is signed in, any.',
  params: webhookParams,
  headers: ifMatchHeaders,
  body: closed(optional(webhookInput), { minProperties: 1 }),
  response: {
    200: WebhookSchema,
    ...problemResponses(...WEBHOOK_CHANGE_PROBLEMS),
  },
}

export const updateWebhook: DialectRoute = (app, ctx) => {
  app.patch(
    '/api/v1/webhooks/:id',
    {
      schema,
      attachValidation: true,
      onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }),
    },
    async (request, reply) => {
      const mistakes = new Mistakes(request)
      const changes = readWebhook(ctx, request.body, mistakes)
      const webhook = await findOwnWebhook(ctx, request)
      mistakes.throwIfAny()
      return webhookJson(await update(ctx, request, reply, webhook, changes))
    },
  )
}
