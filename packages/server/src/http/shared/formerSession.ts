import type { FastifyRequest } from 'fastify'
import { callerFrom } from './authorization.ts'
import type { SignedIn } from './caller.ts'
import type { Context } from './context.ts'
import { Problem } from './problems.ts'
import { signedInByCookie } from './shownCredential.ts'

/** Whose session the cookie in the request is still of; `null`: nobody's. */
export async function formerSession(ctx: Context, request: FastifyRequest): Promise<SignedIn | null> {
  const found = await signedInByCookie(ctx, request)
  return found instanceof Problem ? null : found
}

/**
 * Nobody becomes somebody else by opening a link: whoever sent it would see what they go on to type.
 * @param email whom the link is for
 * @throws Problem `signed_in_as_another`
 */
export function refuseAnother(former: SignedIn | null, email: string): void {
  if (former === null) return
  const own = former.kind === 'session' ? former.member.email : former.session.email
  if (own?.toLowerCase() === email.toLowerCase()) return
  const who = own === null ? 'with the admin token' : `as ${own}`
  throw new Problem('signed_in_as_another', `You are signed in ${who}, and this link is for ${email}.`)
}

/** Ends a session in the name of whoever is signed in in it. */
export async function endSession(ctx: Context, requestId: string, signedIn: SignedIn): Promise<void> {
  const { id: sessionId } = signedIn.session
  const now = ctx.clock.now()
  if (signedIn.kind === 'browser') {
    await ctx.storage.signIns.endBrowserSession({ sessionId, now, requestId })
  } else {
    const { actor, workspace } = callerFrom(ctx, signedIn)
    await ctx.storage.change({
      verb: 'deleteSession',
      params: { sessionId },
      audit: {
        action: 'member.signed_out',
        actor,
        workspacePublicId: workspace.publicId,
        target: { type: 'member', id: signedIn.member.publicId },
        details: {},
        requestId,
      },
      idempotency: null,
      now,
    })
  }
  ctx.credentials.forget()
}

/** Ends the session whose cookie was replaced. Nobody has its token any more, so that a failure is no reason to refuse the new. */
export async function endFormer(ctx: Context, requestId: string, former: SignedIn | null): Promise<void> {
  if (former === null) return
  try {
    await endSession(ctx, requestId, former)
  } catch (error) {
    const session = former.session.publicId
    ctx.logger.warn({ err: error, request_id: requestId, session }, 'a session that was replaced goes on')
  }
}
