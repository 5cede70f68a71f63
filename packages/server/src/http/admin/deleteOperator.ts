import { OWN_IDS } from '../../core/ownIds.ts'
import { adminGuard } from '../shared/auth.ts'
import { byOf } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, noContent, pathId } from '../shared/schemas.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'deleteOperator',
  tags: ['Operators'],
  summary: 'Remove an operator',
  description:
    'The browser sessions of their address end, immediately on this node and within 5 seconds on others. Unused sign-in links stop working. Workspace memberships are unaffected.',
  params: closed({ id: pathId('The operator.') }),
  response: { 204: noContent, ...problemResponses(...ADMIN_PROBLEMS, ...BODY_PROBLEMS, 'not_found') },
}

export const deleteOperator: Route = (app, ctx) => {
  app.delete('/admin/v1/operators/:id', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const { id: publicId } = request.params
    const isId = OWN_IDS.operator.parse(publicId) !== null
    if (!isId || !(await ctx.storage.signIns.deleteOperator({ publicId, now: ctx.clock.now() })))
      throw notFound('operator')
    ctx.credentials.forget()
    const { actor } = byOf(request)
    ctx.logger.info({ request_id: request.id, operator: publicId, by: actor }, 'operator removed')
    reply.code(204)
    return null
  })
}
