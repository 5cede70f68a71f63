import { guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { create } from '../shared/webhooks.ts'
import { readWebhook, WebhookWithSecretSchema, webhookInput, webhookWithSecretJson } from './webhook.ts'

const schema = {
  operationId: 'createAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook endpoint',
  description: 'Needs the scope `webhooks`, or an owner who is signed in.',
  headers: idempotencyHeaders,
  body: closed({
    ...optional(webhookInput),
    url: webhookInput.url,
  }),
  response: {
    201: WebhookWithSecretSchema,
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'webhook_limit_reached',
      'quota_exceeded',
    ),
  },
}

export const createWebhook: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhooks',
    {
      schema,
      attachValidation: true,
      onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }),
    },
    async (request, reply) => {
      const mistakes = new Mistakes(request)
      const input = readWebhook(ctx, request.body, mistakes)
      mistakes.throwIfAny()
      const made = await create(ctx, request, reply, input)
      reply.code(201).header('location', `/api/v1/webhooks/${made.webhook.publicId}`)
      return webhookWithSecretJson(made)
    },
  )
}
