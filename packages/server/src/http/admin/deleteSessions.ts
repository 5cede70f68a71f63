import { adminGuard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { findMemberOrFail, findWorkspace } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, memberParams } from './schemas.ts'

const schema = {
  operationId: 'deleteSessions',
  tags: ['Provisioning'],
  summary: 'Sign a member out everywhere',
  description:
    "Ends all sessions of the member, and all browser sessions of the member's address, which may belong to other workspaces too. It takes effect immediately on this node and within 5 seconds on others. Unused sign-in links stop working.",
  params: memberParams,
  response: { 204: noContent, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const deleteSessions: Route = (app, ctx) => {
  app.delete(
    '/admin/v1/workspaces/:ws/members/:id/sessions',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const member = await findMemberOrFail(ctx, workspace, request.params.id)
      await changeInStore(
        ctx,
        request,
        {
          call: 'deleteSessions',
          params: { workspaceId: workspace.id, memberId: member.id, ofAddress: true, now: ctx.clock.now() },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.signed_out',
          target: { type: 'member', id: member.publicId },
        },
      )
      ctx.credentials.forget()
      reply.code(204)
      return null
    },
  )
}
