import { audit } from '../shared/audit.ts'
import { callerOf, keyGuard, mustBeCreator } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook, stillThere } from '../shared/webhooks.ts'
import { webhookJson } from './present.ts'
import { WebhookWithSecretSchema, webhookParams } from './schemas.ts'

const schema = {
  operationId: 'rotateContentWebhookSecret',
  tags: ['Webhooks'],
  summary: 'Rotate the signing secret',
  description:
    'Returns a new secret, this once. For 24 hours every request is signed with both, the new one first. Only the key that created the webhook may rotate its secret.',
  params: webhookParams,
  response: {
    200: WebhookWithSecretSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'not_creator'),
  },
}

export const rotateSecret: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/webhooks/:id/rotate-secret',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const found = await findWebhook(ctx, workspace, request.params.id)
      mustBeCreator(caller, found)
      const { webhook, secret } = stillThere(await ctx.engine.rotateSecret(workspace, found))
      audit(ctx, request, 'webhook secret rotated', {
        workspace: workspace.publicId,
        webhook: webhook.publicId,
      })
      return { ...webhookJson(webhook), signing_secret: secret }
    },
  )
}
