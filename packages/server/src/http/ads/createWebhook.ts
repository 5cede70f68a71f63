import { guard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { eventTypeErrors } from '../shared/eventTypes.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { checkUrl, create } from '../shared/webhooks.ts'
import { endpointFields, endpointWithSecretJson } from './present.ts'
import { EndpointWithSecretSchema, endpointInput } from './schemas.ts'

const schema = {
  operationId: 'createAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook endpoint',
  description: 'Needs the scope `webhooks`, or an owner who is signed in.',
  headers: idempotencyHeaders,
  body: closed({
    ...optional(endpointInput),
    url: endpointInput.url,
  }),
  response: {
    201: EndpointWithSecretSchema,
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
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.types, '/types'))
      mistakes.throwIfAny()
      const made = await create(ctx, request, reply, { ...endpointFields(request.body), url })
      reply.code(201).header('location', `/api/v1/webhooks/${made.webhook.publicId}`)
      return endpointWithSecretJson(made)
    },
  )
}
