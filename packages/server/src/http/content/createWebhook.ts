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
import { webhookJson } from './present.ts'
import { WebhookWithSecretSchema, webhookInput, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'createContentWebhook',
  tags: ['Webhooks'],
  summary: 'Create a webhook',
  description: 'Needs the scopes `webhooks` and `generations:read`. A workspace has at most 20 webhooks.',
  params: workspaceParams,
  body: closed({
    url: webhookInput.url,
    events: webhookInput.events,
    description: Type.Optional(webhookInput.description),
  }),
  response: {
    201: WebhookWithSecretSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'webhook_limit_reached'),
  },
}

export const createWebhook: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks',
    {
      schema,
      attachValidation: true,
      onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks', 'generations:read'] }),
    },
    async (request, reply) => {
      const { workspace, creator } = callerOf(request)
      const mistakes = new Mistakes(request)
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.events, '/events'))
      mistakes.throwIfAny()
      const { events, description = '' } = request.body
      const result = await ctx.engine.createWebhook({
        workspace,
        url,
        eventTypes: events,
        description,
        createdBy: creator,
      })
      const { webhook, secret } = created(result)
      audit(ctx, request, 'webhook created', { workspace: workspace.publicId, webhook: webhook.publicId })
      reply.code(201).header('location', `/v1/workspaces/${workspace.publicId}/webhooks/${webhook.publicId}`)
      return { ...webhookJson(webhook), signing_secret: secret }
    },
  )
}
