import { adminGuard } from '../shared/auth.ts'
import { byOf } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWorkspace } from './find.ts'
import { workspaceJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, WorkspaceSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'suspendWorkspace',
  tags: ['Provisioning'],
  summary: 'Suspend a workspace',
  description: 'Pauses all of its webhooks. Pending deliveries wait until it is resumed.',
  params: workspaceParams,
  response: { 200: WorkspaceSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const suspendWorkspace: Route = (app, ctx) => {
  app.post('/admin/v1/workspaces/:ws/suspend', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    await ctx.engine.suspendWorkspace(workspace, true, byOf(request))
    ctx.credentials.forget()
    return workspaceJson(await findWorkspace(ctx, workspace.publicId))
  })
}
