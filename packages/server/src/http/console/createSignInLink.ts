import { MINUTE_MS } from '../../core/duration.ts'
import { sealSignInToken } from '../../engine/manage/signInTokens.ts'
import { tooManySignIns } from '../shared/authProblems.ts'
import type { Route } from '../shared/context.ts'
import { hashCredential } from '../shared/credentials.ts'
import { noOtherSite } from '../shared/crossSite.ts'
import { BODY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, emailAddress, oneOf } from '../shared/schemas.ts'
import { newLinkToken, SIGN_IN_LINK_MS } from '../shared/signInLinks.ts'
import { clientOf } from '../shared/throttle/clientRate.ts'

/** Limit of e-mails to one address, counted over all nodes. */
const LIMIT = { max: 5, windowMs: 15 * MINUTE_MS }

const schema = {
  operationId: 'requestSignInLink',
  tags: ['Signing in'],
  summary: 'Request a sign-in link',
  description:
    'Sends a link to the address if it belongs to a member or an operator. The response is the same if it does not. The link works once, within 15 minutes. At most five are sent to an address in 15 minutes.',
  security: [],
  body: closed({ email: emailAddress('The address to send the link to.') }),
  response: {
    202: closed(
      {
        sent_as: oneOf(
          ['email', 'file'],
          '`file`: the service has no mail server, and writes messages as files to its data directory.',
        ),
      },
      { title: 'SignInLinkRequest', description: 'If the address is known, a link was sent.' },
    ),
    ...problemResponses(...BODY_PROBLEMS, 'too_many_sign_ins'),
  },
}

export const createSignInLink: Route = (app, ctx) => {
  app.post('/console/v1/sign-in-links', { schema, onRequest: noOtherSite(ctx) }, async (request, reply) => {
    const client = clientOf(request.ip)
    const waitMs = ctx.linksAskedFor.waitMs(client)
    if (waitMs > 0) throw tooManySignIns(waitMs)
    ctx.linksAskedFor.use(client)
    const { email } = request.body
    // In the stored spelling: the requested one may only look like it.
    const known = await ctx.storage.signIns.findAddressee({ email })
    const token = newLinkToken()
    const now = ctx.clock.now()
    const { result: made } = await ctx.storage.change({
      call: 'createSignInLink',
      params: {
        madeBy: null,
        email: known?.email ?? email,
        hash: hashCredential(token),
        limit: LIMIT,
        notice:
          known === null
            ? null
            : { toEmail: known.email, sealed: sealSignInToken(ctx.secretBox, token, known.email) },
        expiresAt: now + SIGN_IN_LINK_MS,
        now,
      },
      audit: null,
      idempotency: null,
      now,
    })
    if (made.outcome === 'rate_limited') throw tooManySignIns(made.limit.resetMs)
    if (known !== null) ctx.onNotified()
    reply.code(202)
    return { sent_as: ctx.sendsEmail ? ('email' as const) : ('file' as const) }
  })
}
