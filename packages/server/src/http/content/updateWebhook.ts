import { Type } from 'typebox'
import type { WebhookUpdateInput } from '../../engine/engine.ts'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { ifMatchHeaders } from '../shared/etag.ts'
import { problemResponses, WEBHOOK_CHANGE_PROBLEMS } from '../shared/problems.ts'
import { closed, optional } from '../shared/schemas.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { findOwnWebhook, update } from '../shared/webhooks.ts'
import { readWebhook, WebhookSchema, webhookInput, webhookJson, webhookParams } from './webhook.ts'

const schema = {
  operationId: 'updateContentWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook',
  description:
    'Changes the members that are sent. Turning a webhook off cancels its pending deliveries; pausing holds them. A key changes only a webhook that it created; an owner who is signed in, any.',
  params: webhookParams,
  headers: ifMatchHeaders,
  body: closed(
    {
      ...optional(webhookInput),
      enabled: Type.Optional(Type.Boolean({ description: 'True turns it on again, false turns it off.' })),
      paused: Type.Optional(Type.Boolean({ description: 'True pauses it, false ends the pause.' })),
    },
    {
      minProperties: 1,
      not: {
        description: 'Off and paused at once.',
        type: 'object',
        properties: { enabled: { const: false }, paused: { const: true } },
        required: ['enabled', 'paused'],
      },
    },
  ),
  response: {
    200: WebhookSchema,
    ...problemResponses(...WEBHOOK_CHANGE_PROBLEMS, 'webhook_not_on'),
  },
}

/** Rejects a contradiction: a webhook is either off or paused. */
function checkEnabledState(
  { enabled, paused }: { readonly enabled?: unknown; readonly paused?: unknown },
  mistakes: Mistakes,
): void {
  if (enabled === false && paused === true) {
    const message = 'cannot be true while enabled is false: a webhook is either off or paused'
    mistakes.addInstead('/paused', message, '')
  }
}

export const updateWebhook: DialectRoute = (app, ctx) => {
  app.patch(
    '/v1/workspaces/:ws/webhooks/:id',
    {
      schema,
      attachValidation: true,
      onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'owners' }),
    },
    async (request, reply) => {
      const mistakes = new Mistakes(request)
      const fields = readWebhook(ctx, request.body, mistakes)
      checkEnabledState(membersOf(request.body), mistakes)
      const webhook = await findOwnWebhook(ctx, request)
      mistakes.throwIfAny()
      const { enabled, paused } = request.body
      const changes: WebhookUpdateInput = {
        ...fields,
        ...(enabled === undefined ? {} : { enabled }),
        ...(paused === undefined ? {} : { paused }),
      }
      return webhookJson(callerOf(request), await update(ctx, request, reply, webhook, changes))
    },
  )
}
