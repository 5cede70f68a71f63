import { callerOf, guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { create } from '../shared/webhooks.ts'
import { workspaceParams } from './common.ts'
import { readWebhook, WebhookWithSecretSchema, webhookInput, webhookWithSecretJson } from './webhook.ts'

const schema = {
  operationId: 'createContentWebhook',
  tags: ['Webhooks'],
  summary: 'Create a webhook',
  description:
    'Needs the scopes `webhooks` and `generations:read`, or an owner who is signed in. A workspace has at most 20 webhooks.',
  params: workspaceParams,
  headers: idempotencyHeaders,
  body: closed({
    ...optional(webhookInput),
    url: webhookInput.url,
    events: webhookInput.events,
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
    '/v1/workspaces/:ws/webhooks',
    {
      schema,
      attachValidation: true,
      onRequest: guard(ctx, {
        dialect: 'content',
        scopes: ['webhooks', 'generations:read'],
        members: 'owners',
      }),
    },
    async (request, reply) => {
      const mistakes = new Mistakes(request)
      const input = readWebhook(ctx, request.body, mistakes)
      mistakes.throwIfAny()
      const made = await create(ctx, request, reply, input)
      const { ws } = request.params
      reply.code(201).header('location', `/v1/workspaces/${ws}/webhooks/${made.webhook.publicId}`)
      return webhookWithSecretJson(callerOf(request), made)
    },
  )
}
