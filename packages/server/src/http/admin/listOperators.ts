import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { operatorJson } from './present.ts'
import { ADMIN_PROBLEMS, OperatorSchema } from './schemas.ts'

const schema = {
  operationId: 'listOperators',
  tags: ['Operators'],
  summary: 'List operators',
  description: 'Newest first.',
  querystring: closed(pageQuery),
  response: {
    200: pageOf(OperatorSchema, 'OperatorPage'),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listOperators: Route = (app, ctx) => {
  app.get('/admin/v1/operators', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const scope = { list: 'operators' as const, ownerId: 0 }
    const page = await readPage(ctx, scope, request.query, (range) =>
      ctx.storage.signIns.listOperators(range),
    )
    return { data: page.rows.map(operatorJson), next_cursor: page.nextCursor }
  })
}
