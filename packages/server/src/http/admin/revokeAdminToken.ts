import { OWN_IDS } from '../../core/ownIds.ts'
import { adminGuard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, noContent, pathId } from '../shared/schemas.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'revokeAdminToken',
  tags: ['Operators'],
  summary: 'Revoke an admin token',
  description:
    'It stops working immediately on this node and within 5 seconds on others, and stays in the list. Everything that was created with it keeps working, such as keys, operators and other tokens. The audit log lists these, except operators.',
  params: closed({ id: pathId('The admin token.') }),
  response: { 204: noContent, ...problemResponses(...ADMIN_PROBLEMS, ...BODY_PROBLEMS, 'not_found') },
}

export const revokeAdminToken: Route = (app, ctx) => {
  app.delete('/admin/v1/admin-tokens/:id', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const { id: publicId } = request.params
    const isId = OWN_IDS.adminToken.parse(publicId) !== null
    if (!isId || (await ctx.storage.adminTokens.getAdminToken({ publicId })) === null)
      throw notFound('admin token')
    await changeInStore(
      ctx,
      request,
      { call: 'revokeAdminToken', params: { publicId, now: ctx.clock.now() } },
      {
        workspacePublicId: '',
        action: 'admin_token.revoked',
        target: { type: 'admin_token', id: publicId },
      },
    )
    ctx.credentials.forget()
    reply.code(204)
    return null
  })
}
