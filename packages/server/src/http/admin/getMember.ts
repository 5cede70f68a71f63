import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { findMemberOrFail, findWorkspace } from './find.ts'
import { memberJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, MemberSchema, memberParams } from './schemas.ts'

const schema = {
  operationId: 'getMember',
  tags: ['Provisioning'],
  summary: 'Read a member',
  description: "By the member's id.",
  params: memberParams,
  response: { 200: MemberSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS) },
}

export const getMember: Route = (app, ctx) => {
  app.get('/admin/v1/workspaces/:ws/members/:id', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const workspace = await findWorkspace(ctx, request.params.ws)
    return memberJson(await findMemberOrFail(ctx, workspace, request.params.id))
  })
}
