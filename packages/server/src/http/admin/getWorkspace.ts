import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { findWorkspace } from './find.ts'
import { workspaceJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, WorkspaceSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'getWorkspace',
  tags: ['Provisioning'],
  summary: 'Read a workspace',
  description:
    'By its id or slug. If workspaces of two services have the same slug, use the id: the slug then matches no workspace.',
  params: workspaceParams,
  response: { 200: WorkspaceSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS) },
}

export const getWorkspace: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces/:ws', { schema, onRequest: adminGuard(ctx) }, async (request) =>
    workspaceJson(await findWorkspace(ctx, request.params.ws)),
  )
}
