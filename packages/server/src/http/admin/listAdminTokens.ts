import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { adminTokenJson } from './present.ts'
import { ADMIN_PROBLEMS, AdminTokenSchema } from './schemas.ts'

const schema = {
  operationId: 'listAdminTokens',
  tags: ['Operators'],
  summary: 'List admin tokens',
  description:
    'Newest first, including the newest 900 that were revoked or have expired. The tokens themselves, and the token in POSTHORN_ADMIN_TOKEN, are never listed.',
  querystring: closed(pageQuery),
  response: {
    200: pageOf(AdminTokenSchema, 'AdminTokenPage'),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listAdminTokens: Route = (app, ctx) => {
  app.get('/admin/v1/admin-tokens', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const scope = { list: 'admin tokens' as const, ownerId: 0 }
    const page = await readPage(ctx, scope, request.query, (range) =>
      ctx.storage.adminTokens.listAdminTokens(range),
    )
    return { data: page.rows.map(adminTokenJson), next_cursor: page.nextCursor }
  })
}
