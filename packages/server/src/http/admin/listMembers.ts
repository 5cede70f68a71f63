import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { findWorkspace } from './find.ts'
import { memberJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, MemberSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'listMembers',
  tags: ['Provisioning'],
  summary: 'List members',
  description: 'Newest first.',
  params: workspaceParams,
  querystring: closed(pageQuery),
  response: {
    200: pageOf(MemberSchema, 'MemberPage'),
    ...problemResponses(...IN_WORKSPACE_PROBLEMS, 'invalid_request'),
  },
}

export const listMembers: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces/:ws/members', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    const scope = { list: 'members' as const, ownerId: workspace.id }
    const page = await readPage(ctx, scope, request.query, (range) =>
      ctx.storage.accounts.listMembers({ workspaceId: workspace.id, ...range }),
    )
    return { data: page.rows.map(memberJson), next_cursor: page.nextCursor }
  })
}
