import { Type } from 'typebox'
import type { WebhookChanges } from '../../engine/engine.ts'
import { audit } from '../shared/audit.ts'
import { callerOf, keyGuard, mustBeCreator } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { eventTypeErrors } from '../shared/eventTypes.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { membersOf } from '../shared/publishing.ts'
import { closed } from '../shared/schemas.ts'
import { Mistakes } from '../shared/validation.ts'
import { checkUrl, findWebhook, updatedWebhook } from '../shared/webhooks.ts'
import { endpointJson } from './present.ts'
import { EndpointSchema, endpointInput, endpointParams } from './schemas.ts'

const schema = {
  operationId: 'updateAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook endpoint',
  description: 'Changes the members that are sent. Only the key that registered the endpoint may change it.',
  params: endpointParams,
  body: closed(
    {
      url: Type.Optional(endpointInput.url),
      types: Type.Optional(endpointInput.types),
      description: Type.Optional(endpointInput.description),
    },
    { minProperties: 1 },
  ),
  response: { 200: EndpointSchema, ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'not_creator') },
}

export const updateWebhook: DialectRoute = (app, ctx) => {
  app.patch(
    '/api/v1/webhooks/:id',
    { schema, attachValidation: true, onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['webhooks'] }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const mistakes = new Mistakes(request)
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.types, '/types'))
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      mustBeCreator(caller, webhook)
      mistakes.throwIfAny()
      const { types, description } = request.body
      const changes: WebhookChanges = {
        ...(input.url === undefined ? {} : { url }),
        ...(types === undefined ? {} : { eventTypes: types }),
        ...(description === undefined ? {} : { description }),
      }
      const updated = updatedWebhook(await ctx.engine.updateWebhook(workspace, webhook.id, changes))
      audit(ctx, request, 'webhook changed', { workspace: workspace.publicId, webhook: webhook.publicId })
      return endpointJson(updated)
    },
  )
}
