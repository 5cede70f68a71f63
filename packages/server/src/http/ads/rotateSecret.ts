import { audit } from '../shared/audit.ts'
import { callerOf, keyGuard, mustBeCreator } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWebhook, stillThere } from '../shared/webhooks.ts'
import { endpointJson } from './present.ts'
import { EndpointWithSecretSchema, endpointParams } from './schemas.ts'

const schema = {
  operationId: 'rotateAdsWebhookSecret',
  tags: ['Webhooks'],
  summary: 'Rotate the signing secret',
  description:
    'Returns a new secret, this once. It replaces the old one at once and without overlap, since the signature header holds one value: a receiver must accept both while it changes over. Only the key that registered the endpoint may rotate its secret.',
  params: endpointParams,
  response: {
    200: EndpointWithSecretSchema,
    ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'not_creator'),
  },
}

export const rotateSecret: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhooks/:id/rotate-secret',
    { schema, onRequest: keyGuard(ctx, { dialect: 'ads', scopes: ['webhooks'] }) },
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
      return { ...endpointJson(webhook), signingSecret: secret }
    },
  )
}
