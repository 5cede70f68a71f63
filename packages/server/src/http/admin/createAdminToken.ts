import { Type } from 'typebox'
import { MAX_ADMIN_TOKENS } from '../../storage/storage.ts'
import { adminGuard } from '../shared/auth.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { hashCredential, newCredential } from '../shared/credentials.ts'
import { CREATE_PROBLEMS, Problem, problemResponses } from '../shared/problems.ts'
import { closed, instant, label } from '../shared/schemas.ts'
import { changeWithSecret } from '../shared/shownOnce.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { checkExpiry } from './expiry.ts'
import { adminTokenJson } from './present.ts'
import { ADMIN_PROBLEMS, AdminTokenWithSecretSchema } from './schemas.ts'

const schema = {
  operationId: 'createAdminToken',
  tags: ['Operators'],
  summary: 'Create an admin token',
  description: `Give each program and person that uses this API its own token. It has the same rights as the token in POSTHORN_ADMIN_TOKEN, including the right to create tokens. It does not sign in to the console. Only this response has the token itself: the service stores a hash. At most ${MAX_ADMIN_TOKENS} tokens can be active.`,
  headers: idempotencyHeaders,
  body: closed({
    name: label('Name of the token in the list and in the audit log.', 200),
    expires_at: Type.Optional(instant('When it stops working. Default: never.', '2027-03-14T00:00:00Z')),
  }),
  response: {
    201: AdminTokenWithSecretSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'admin_token_limit_reached'),
  },
}

/** The owner under which tokens are encrypted for repeated requests. */
const OWNER = 'admin tokens'

export const createAdminToken: Route = (app, ctx) => {
  app.post(
    '/admin/v1/admin-tokens',
    { schema, attachValidation: true, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const mistakes = new Mistakes(request)
      const expiresAt = checkExpiry(ctx, membersOf(request.body).expires_at, mistakes)
      mistakes.throwIfAny()
      const token = newCredential('adminToken')
      const publicId = ctx.engine.ids.createOwn('adminToken')
      const { name, expires_at } = request.body
      const { result, text, omitted } = await changeWithSecret(
        ctx,
        request,
        {
          call: 'createAdminToken',
          params: { publicId, name, hash: hashCredential(token), expiresAt, now: ctx.clock.now() },
        },
        {
          workspacePublicId: '',
          action: 'admin_token.created',
          target: { type: 'admin_token', id: publicId },
          details: { name, ...(expires_at === undefined ? {} : { expires_at }) },
        },
        { text: token, owner: OWNER },
      )
      if (result === null) {
        const detail = `There are already ${MAX_ADMIN_TOKENS} active admin tokens. Revoke one that is no longer used.`
        throw new Problem('admin_token_limit_reached', detail)
      }
      reply.code(201)
      return { ...adminTokenJson(result), token: text, secret_omitted: omitted }
    },
  )
}
