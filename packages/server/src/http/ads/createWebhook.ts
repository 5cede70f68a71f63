import { Type } from 'typebox'
import { audit } from '../shared/audit.ts'
import { callerOf, keyGuard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { eventTypeErrors } from '../shared/eventTypes.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { membersOf } from '../shared/publishing.ts'
import { closed } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { checkUrl, created } from '../shared/webhooks.ts'
import { endpointJson } from './present.ts'
import { EndpointWithSecretSchema, endpointInput } from './schemas.ts'

const schema = {
  operationId: 'createAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Register a webhook endpoint',
  body: closed({
    url: endpointInput.url,
    types: Type.Optional(endpointInput.types),
    description: Type.Optional(endpointInput.description),
  }),
  response: {
    201: EndpointWithSecretSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'webhook_limit_reached'),
  },
}

export const createWebhook: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhooks',
    {
      schema,
      attachValidation: true,
      onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['webhooks'] }),
    },
    async (request, reply) => {
      const { workspace, creator } = callerOf(request)
      const mistakes = new Mistakes(request)
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.types, '/types'))
      mistakes.throwIfAny()
      const { types = [], description = '' } = request.body
      const result = await ctx.engine.createWebhook({
        workspace,
        url,
        eventTypes: types,
        description,
        createdBy: creator,
      })
      const { webhook, secret } = created(result)
      audit(ctx, request, 'webhook created', { workspace: workspace.publicId, webhook: webhook.publicId })
      reply.code(201).header('location', `/api/v1/webhooks/${webhook.publicId}`)
      return { ...endpointJson(webhook), signingSecret: secret }
    },
  )
}
