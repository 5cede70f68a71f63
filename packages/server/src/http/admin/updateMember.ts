import { Type } from 'typebox'
import { ROLES } from '../../storage/rows.ts'
import { adminGuard } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, label, oneOf } from '../shared/schemas.ts'
import { findMemberOrFail, findWorkspace } from './find.ts'
import { memberJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, MemberSchema, memberParams } from './schemas.ts'

const schema = {
  operationId: 'updateMember',
  tags: ['Provisioning'],
  summary: 'Change a member',
  description:
    'Changes only the given members. A new role also applies to open sessions, immediately on this node and within 5 seconds on others. The role of a member from the identity provider is set again by the claims at its next sign-in.',
  params: memberParams,
  body: closed(
    {
      name: Type.Optional(label('Display name.', 200)),
      role: Type.Optional(oneOf(ROLES, 'What the member can do.')),
    },
    { minProperties: 1 },
  ),
  response: { 200: MemberSchema, ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...BODY_PROBLEMS) },
}

export const updateMember: Route = (app, ctx) => {
  app.patch(
    '/admin/v1/workspaces/:ws/members/:id',
    { schema, onRequest: adminGuard(ctx) },
    async (request) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const { publicId } = await findMemberOrFail(ctx, workspace, request.params.id)
      const { name, role } = request.body
      const changes = { ...(name === undefined ? {} : { name }), ...(role === undefined ? {} : { role }) }
      const { result } = await changeInStore(
        ctx,
        request,
        { call: 'updateMember', params: { workspaceId: workspace.id, publicId, changes } },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.updated',
          target: { type: 'member', id: publicId },
          details: { members: Object.keys(changes), ...(role === undefined ? {} : { role }) },
        },
      )
      if (result === null) throw notFound('member')
      ctx.credentials.forget()
      return memberJson(result.member)
    },
  )
}
