import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { findWorkspace } from './find.ts'
import { keyJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, KeySchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'listKeys',
  tags: ['Provisioning'],
  summary: 'List API keys',
  description: 'Newest first, including revoked ones. The keys themselves are never shown.',
  params: workspaceParams,
  querystring: closed(pageQuery),
  response: {
    200: pageOf(KeySchema, 'KeyPage'),
    ...problemResponses(...IN_WORKSPACE_PROBLEMS, 'invalid_request'),
  },
}

export const listKeys: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces/:ws/keys', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    const scope = { list: 'keys' as const, ownerId: workspace.id }
    const page = await readPage(ctx, scope, request.query, (range) =>
      ctx.storage.accounts.listKeys({ workspaceId: workspace.id, ...range }),
    )
    return { data: page.rows.map(keyJson), next_cursor: page.nextCursor }
  })
}
