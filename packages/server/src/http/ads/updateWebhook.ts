import type { WebhookChanges } from '../../engine/engine.ts'
import { guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeaders } from '../shared/etag.ts'
import { eventTypeErrors } from '../shared/eventTypes.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { checkUrl, findOwnWebhook, update } from '../shared/webhooks.ts'
import { endpointFields, endpointJson } from './present.ts'
import { EndpointSchema, endpointInput, endpointParams } from './schemas.ts'

const schema = {
  operationId: 'updateAdsWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook endpoint',
  description:
    'Changes the members that are sent. A key changes only an endpoint that it registered; an owner who is signed in, any.',
  params: endpointParams,
  headers: ifMatchHeaders,
  body: closed(
    {
      ...optional(endpointInput),
    },
    { minProperties: 1 },
  ),
  response: {
    200: EndpointSchema,
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
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.types, '/types'))
      const webhook = await findOwnWebhook(ctx, request)
      mistakes.throwIfAny()
      const changes: WebhookChanges = {
        ...(input.url === undefined ? {} : { url }),
        ...endpointFields(request.body),
      }
      return endpointJson(await update(ctx, request, reply, webhook, changes))
    },
  )
}
