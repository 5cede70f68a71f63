import { adminGuard } from '../shared/auth.ts'
import { byOf, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { hashCredential } from '../shared/credentials.ts'
import { CREATE_PROBLEMS, Problem, problemResponses } from '../shared/problems.ts'
import { closed, emailAddress, time } from '../shared/schemas.ts'
import { changeWithSecret, credentialOmitted, shownOnce } from '../shared/shownOnce.ts'
import { newLinkToken, SIGN_IN_LINK_MS, signInLinkUrl } from '../shared/signInLinks.ts'
import { isoTime } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const schema = {
  operationId: 'createSignInLink',
  tags: ['Signing in'],
  summary: 'Create a sign-in link',
  description:
    'For a member or operator who cannot get e-mail from the service. It works once, within 15 minutes. The person who opens it is signed in to all workspaces that have a member with the address. The audit logs of these workspaces record who created the link.',
  headers: idempotencyHeaders,
  body: closed({ email: emailAddress('The address of a member or an operator.') }),
  response: {
    201: closed(
      {
        url: shownOnce('The URL of the link.'),
        secret_omitted: credentialOmitted,
        expires_at: time('When it stops working.'),
      },
      { title: 'SignInLink' },
    ),
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'not_found'),
  },
}

export const createSignInLink: Route = (app, ctx) => {
  app.post('/admin/v1/sign-in-links', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const known = await ctx.storage.signIns.findAddressee({ email: request.body.email })
    if (known === null) {
      throw new Problem(
        'not_found',
        'There is no member or operator with this e-mail address. Add a member with POST /admin/v1/workspaces/{ws}/members, or an operator with POST /admin/v1/operators.',
      )
    }
    const { email } = known
    // The fingerprint uses the requested address, not its present spelling.
    const sealedFor = request.body.email.toLowerCase()
    const token = newLinkToken()
    const now = ctx.clock.now()
    const { actor } = byOf(request)
    const { result, repeated, text, omitted } = await changeWithSecret(
      ctx,
      request,
      {
        call: 'createSignInLink',
        params: {
          madeBy: { actor, requestId: request.id },
          email,
          hash: hashCredential(token),
          limit: null,
          notice: null,
          expiresAt: now + SIGN_IN_LINK_MS,
          now,
        },
      },
      // The store audits it in every workspace that the link opens.
      null,
      { text: token, owner: sealedFor },
    )
    if (result.outcome !== 'created') throw new Error('a link without a limit was refused')
    if (!repeated) {
      ctx.logger.info({ request_id: request.id, whose: known.publicId, by: actor }, 'sign-in link created')
    }
    reply.code(201)
    return {
      url: text === null ? null : signInLinkUrl(ctx, text, known.publicId),
      secret_omitted: omitted,
      expires_at: isoTime(result.link.expiresAt),
    }
  })
}
