import { adminGuard } from '../shared/auth.ts'
import { byOf } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findWorkspace } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'deleteWorkspace',
  tags: ['Provisioning'],
  summary: 'Delete a workspace',
  description:
    'Deletes the workspace with its members, keys and webhooks. Pending deliveries are canceled. The sessions of its members end, immediately on this node and within 5 seconds on others. If an address is also a member of another workspace, or an operator, its browser sessions continue without this workspace.',
  params: workspaceParams,
  response: { 204: noContent, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const deleteWorkspace: Route = (app, ctx) => {
  app.delete('/admin/v1/workspaces/:ws', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    await ctx.engine.deleteWorkspace(workspace, byOf(request))
    ctx.credentials.forget()
    reply.code(204)
    return null
  })
}
