import { audit } from '../shared/audit.ts'
import { callerOf, keyGuard, mustBeCreator } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { KEY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { webhookParams } from './schemas.ts'

const schema = {
  operationId: 'deleteContentWebhook',
  tags: ['Webhooks'],
  summary: 'Delete a webhook',
  description: 'Its pending deliveries are canceled. Only the key that created the webhook may delete it.',
  params: webhookParams,
  response: { 204: noContent, ...problemResponses(...KEY_PROBLEMS, 'not_creator') },
}

export const deleteWebhook: DialectRoute = (app, ctx) => {
  app.delete(
    '/v1/workspaces/:ws/webhooks/:id',
    { schema, onRequest: keyGuard(ctx, { dialect: 'content', scopes: ['webhooks'] }) },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const webhook = await findWebhook(ctx, workspace, request.params.id)
      mustBeCreator(caller, webhook)
      if (!(await ctx.engine.deleteWebhook(workspace, webhook.id))) throw notFound('webhook')
      audit(ctx, request, 'webhook deleted', { workspace: workspace.publicId, webhook: webhook.publicId })
      reply.code(204)
      return null
    },
  )
}
