import { audit } from '../shared/audit.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { notFound, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findMember, findWorkspace } from './find.ts'
import { ADMIN_PROBLEMS, memberParams } from './schemas.ts'

const schema = {
  operationId: 'deleteMember',
  tags: ['Provisioning'],
  summary: 'Remove a member',
  params: memberParams,
  response: { 204: noContent, ...problemResponses(...ADMIN_PROBLEMS) },
}

export const deleteMember: Route = (app, ctx) => {
  app.delete(
    '/admin/v1/workspaces/:ws/members/:id',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const member = await findMember(ctx, workspace, request.params.id)
      const where = { workspaceId: workspace.id, publicId: request.params.id }
      if (member === null || !(await ctx.storage.deleteMember(where))) throw notFound('member')
      ctx.keys.forget()
      audit(ctx, request, 'member removed', { workspace: workspace.publicId, member: member.publicId })
      reply.code(204)
      return null
    },
  )
}
