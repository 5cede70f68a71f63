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
import { webhookJson } from './present.ts'
import { WebhookSchema, webhookInput, webhookParams } from './schemas.ts'

const schema = {
  operationId: 'updateContentWebhook',
  tags: ['Webhooks'],
  summary: 'Change a webhook',
  description:
    'Changes the members that are sent. Turning a webhook off cancels its pending deliveries; pausing holds them. Only the key that created the webhook may change it.',
  params: webhookParams,
  body: closed(
    {
      url: Type.Optional(webhookInput.url),
      events: Type.Optional(webhookInput.events),
      description: Type.Optional(webhookInput.description),
      enabled: Type.Optional(Type.Boolean({ description: 'True turns it on again, false turns it off.' })),
      paused: Type.Optional(Type.Boolean({ description: 'True pauses it, false ends the pause.' })),
    },
    { minProperties: 1 },
  ),
  response: {
    200: WebhookSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'not_creator', 'webhook_not_on'),
  },
}

/** Refuses what contradicts itself: a webhook is either off or paused. */
function checkSwitches(
  { enabled, paused }: { readonly enabled?: unknown; readonly paused?: unknown },
  mistakes: Mistakes,
): void {
  if (enabled === false && paused === true) {
    mistakes.add('/paused', 'cannot be true while enabled is false: a webhook is either off or paused')
  }
}

export const updateWebhook: DialectRoute = (app, ctx) => {
  app.patch(
    '/v1/workspaces/:ws/webhooks/:id',
    {
      schema,
      attachValidation: true,
      onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }),
    },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const mistakes = new Mistakes(request)
      const input = membersOf(request.body)
      const url = checkUrl(ctx, input.url, mistakes)
      mistakes.addAll(eventTypeErrors(ctx.dialect.catalog, input.events, '/events'))
      checkSwitches(input, mistakes)
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      mustBeCreator(caller, webhook)
      mistakes.throwIfAny()
      const { events, description, enabled, paused } = request.body
      const changes: WebhookChanges = {
        ...(input.url === undefined ? {} : { url }),
        ...(events === undefined ? {} : { eventTypes: events }),
        ...(description === undefined ? {} : { description }),
        ...(enabled === undefined ? {} : { enabled }),
        ...(paused === undefined ? {} : { paused }),
      }
      const updated = updatedWebhook(await ctx.engine.updateWebhook(workspace, webhook.id, changes))
      audit(ctx, request, 'webhook changed', { workspace: workspace.publicId, webhook: webhook.publicId })
      return webhookJson(updated)
    },
  )
}
