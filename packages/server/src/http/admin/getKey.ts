import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { findKey, findWorkspace } from './find.ts'
import { keyJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, KeySchema, keyParams } from './schemas.ts'

const schema = {
  operationId: 'getKey',
  tags: ['Provisioning'],
  summary: 'Read an API key',
  description: 'The key itself is never shown.',
  params: keyParams,
  response: { 200: KeySchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS) },
}

export const getKey: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces/:ws/keys/:id', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    return keyJson(await findKey(ctx, workspace, request.params.id))
  })
}
