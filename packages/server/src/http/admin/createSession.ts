import { Type } from 'typebox'
import { MINUTE_MS } from '../../core/duration.ts'
import { adminGuard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { hashCredential, newCredential } from '../shared/credentials.ts'
import { CREATE_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { optionalBody } from '../shared/schemas.ts'
import { changeWithSecret } from '../shared/shownOnce.ts'
import { isoTime } from '../shared/time.ts'
import { findMemberOrFail, findWorkspace, refuseFromProvider } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, memberParams, SessionWithTokenSchema } from './schemas.ts'

const DEFAULT_MINUTES = 60
const MAX_MINUTES = 24 * 60

const schema = {
  operationId: 'createSession',
  tags: ['Provisioning'],
  summary: 'Sign a member in',
  description:
    "Creates a session with the rights of the member's role: owners can change all webhooks of the workspace, editors and viewers can read. Use its token in place of an API key. This is for products that show their own members their webhooks. Protect the token like the member's password.",
  params: memberParams,
  headers: idempotencyHeaders,
  body: optionalBody({
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MINUTES,
        description: `How long it lasts. Default: ${DEFAULT_MINUTES}.`,
      }),
    ),
  }),
  response: {
    201: SessionWithTokenSchema,
    ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...CREATE_PROBLEMS),
  },
}

export const createSession: Route = (app, ctx) => {
  app.post(
    '/admin/v1/workspaces/:ws/members/:id/sessions',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const member = await findMemberOrFail(ctx, workspace, request.params.id)
      refuseFromProvider(member)
      const { minutes = DEFAULT_MINUTES } = request.body
      const token = newCredential('session')
      const publicId = ctx.engine.ids.create(workspace.dialect, 'session')
      const now = ctx.clock.now()
      const {
        result: session,
        text,
        omitted,
      } = await changeWithSecret(
        ctx,
        request,
        {
          call: 'createSession',
          params: {
            publicId,
            workspaceId: workspace.id,
            memberId: member.id,
            hash: hashCredential(token),
            expiresAt: now + minutes * MINUTE_MS,
            now,
          },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'session.created',
          target: { type: 'session', id: publicId },
          details: { member: member.publicId },
        },
        { text: token, owner: member.publicId },
      )
      if (session === null) throw notFound('member')
      reply.code(201)
      return {
        id: session.publicId,
        member_id: member.publicId,
        token: text,
        secret_omitted: omitted,
        created_at: isoTime(session.createdAt),
        expires_at: isoTime(session.expiresAt),
      }
    },
  )
}
