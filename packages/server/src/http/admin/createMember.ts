import { ROLES } from '../../storage/rows.ts'
import { adminGuard } from '../shared/auth.ts'
import { changeInStore, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { CREATE_PROBLEMS, Problem, problemResponses } from '../shared/problems.ts'
import { closed, emailAddress, label, oneOf } from '../shared/schemas.ts'
import { findWorkspace } from './find.ts'
import { memberJson } from './present.ts'
import { IN_WORKSPACE_PROBLEMS, MemberSchema, workspaceParams } from './schemas.ts'

const schema = {
  operationId: 'createMember',
  tags: ['Provisioning'],
  summary: 'Add a member',
  description:
    "Members act in sessions by their role: owners can change everything, editors and viewers can read. If the identity provider's claims created a member with this address, it becomes independent of them, takes this name and role, and keeps its id.",
  params: workspaceParams,
  headers: idempotencyHeaders,
  body: closed({
    email: emailAddress('Unique in the workspace.'),
    name: label('Display name.', 200),
    role: oneOf(ROLES, 'What the member can do.'),
  }),
  response: {
    201: MemberSchema,
    ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...CREATE_PROBLEMS, 'email_taken'),
  },
}

export const createMember: Route = (app, ctx) => {
  app.post(
    '/admin/v1/workspaces/:ws/members',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const publicId = ctx.engine.ids.create(workspace.dialect, 'member')
      const { email, name, role } = request.body
      const { result: member } = await changeInStore(
        ctx,
        request,
        {
          call: 'createMember',
          params: { publicId, workspaceId: workspace.id, email, name, role, now: ctx.clock.now() },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.created',
          target: { type: 'member', id: publicId },
          details: { role },
        },
      )
      if (member === null) {
        throw new Problem('email_taken', 'The workspace already has a member with this e-mail address.')
      }
      // A person who is signed in with this address is a member here from now on.
      ctx.credentials.forget()
      const { publicId: workspaceId } = workspace
      reply.code(201).header('location', `/admin/v1/workspaces/${workspaceId}/members/${member.publicId}`)
      return memberJson(member)
    },
  )
}
