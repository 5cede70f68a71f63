import { adminGuard } from '../shared/auth.ts'
import { byOf } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { findWorkspace } from './find.ts'
import { workspaceJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, WorkspaceSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'resumeWorkspace',
  tags: ['Provisioning'],
  summary: 'Resume a workspace',
  description: 'Ends a suspension. Webhooks that were disabled or paused before it stay disabled or paused.',
  params: workspaceParams,
  response: { 200: WorkspaceSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const resumeWorkspace: Route = (app, ctx) => {
  app.post('/admin/v1/workspaces/:ws/resume', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    await ctx.engine.suspendWorkspace(workspace, false, byOf(request))
    ctx.credentials.forget()
    return workspaceJson(await findWorkspace(ctx, workspace.publicId))
  })
}
