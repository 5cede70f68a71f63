import { adminGuard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findKey, findWorkspace } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, keyParams } from './schemas.ts'

const schema = {
  operationId: 'revokeKey',
  tags: ['Provisioning'],
  summary: 'Revoke an API key',
  description:
    'It stops working immediately on this node and within 5 seconds on others. The key stays in the list, and its webhooks are kept.',
  params: keyParams,
  response: { 204: noContent, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const revokeKey: Route = (app, ctx) => {
  app.delete(
    '/admin/v1/workspaces/:ws/keys/:id',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const { publicId } = await findKey(ctx, workspace, request.params.id)
      await changeInStore(
        ctx,
        request,
        { call: 'revokeKey', params: { workspaceId: workspace.id, publicId, now: ctx.clock.now() } },
        {
          workspacePublicId: workspace.publicId,
          action: 'key.revoked',
          target: { type: 'key', id: publicId },
        },
      )
      ctx.credentials.forget()
      reply.code(204)
      return null
    },
  )
}
