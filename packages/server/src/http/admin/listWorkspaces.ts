import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceJson } from './present.ts'
import { ADMIN_PROBLEMS, WorkspaceSchema } from './schemas.ts'

const schema = {
  operationId: 'listWorkspaces',
  tags: ['Provisioning'],
  summary: 'List workspaces',
  description: 'Newest first.',
  querystring: closed(pageQuery),
  response: {
    200: pageOf(WorkspaceSchema, 'WorkspacePage'),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listWorkspaces: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const scope = { list: 'workspaces' as const, ownerId: 0 }
    const page = await readPage(ctx, scope, request.query, (range) =>
      ctx.storage.accounts.listWorkspaces(range),
    )
    return { data: page.rows.map(workspaceJson), next_cursor: page.nextCursor }
  })
}
