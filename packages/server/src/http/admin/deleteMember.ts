import { adminGuard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findMemberOrFail, findWorkspace } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, memberParams } from './schemas.ts'

const schema = {
  operationId: 'deleteMember',
  tags: ['Provisioning'],
  summary: 'Remove a member',
  description:
    'The sessions of the member end, immediately on this node and within 5 seconds on others. If the address is also a member of another workspace, or an operator, its browser sessions continue without this workspace. Keys that were created for the member keep working.',
  params: memberParams,
  response: { 204: noContent, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const deleteMember: Route = (app, ctx) => {
  app.delete(
    '/admin/v1/workspaces/:ws/members/:id',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const { publicId } = await findMemberOrFail(ctx, workspace, request.params.id)
      const { result: deleted } = await changeInStore(
        ctx,
        request,
        { call: 'deleteMember', params: { workspaceId: workspace.id, publicId, now: ctx.clock.now() } },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.deleted',
          target: { type: 'member', id: publicId },
        },
      )
      if (!deleted) throw notFound('member')
      ctx.credentials.forget()
      reply.code(204)
      return null
    },
  )
}
