import type { FastifyRequest } from 'fastify'
import { callerFrom } from './authorization.ts'
import type { SignedIn } from './caller.ts'
import type { Context } from './context.ts'
import { Problem } from './problems.ts'
import { signedInByCookie } from './shownCredential.ts'

/** The session whose cookie the request still carries; `null`: none. */
export async function formerSession(ctx: Context, request: FastifyRequest): Promise<SignedIn | null> {
  const found = await signedInByCookie(ctx, request)
  return found instanceof Problem ? null : found
}

/**
 * Opening a link must not sign a person in as another one: the sender of the link would see what they enter from then on.
 * @param email the address that the link is for
 * @throws Problem `signed_in_as_another`
 */
export function refuseAnother(former: SignedIn | null, email: string): void {
  if (former === null) return
  const own = former.kind === 'session' ? former.member.email : former.session.email
  if (own?.toLowerCase() === email.toLowerCase()) return
  const who = own === null ? 'with the admin token' : `as ${own}`
  throw new Problem('signed_in_as_another', `You are signed in ${who}, but this link is for ${email}.`)
}

/** Ends a session on behalf of the person who is signed in. */
export async function endSession(ctx: Context, requestId: string, signedIn: SignedIn): Promise<void> {
  const { id: sessionId } = signedIn.session
  const now = ctx.clock.now()
  if (signedIn.kind === 'browser') {
    await ctx.storage.signIns.endBrowserSession({ sessionId, now, requestId })
  } else {
    const { actor, workspace } = callerFrom(ctx, signedIn)
    await ctx.storage.change({
      call: 'deleteSession',
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

/**
 * Ends the session whose cookie was replaced. The browser no longer has its token, so a failure is no reason to reject the new
 * session.
 */
export async function endFormer(ctx: Context, requestId: string, former: SignedIn | null): Promise<void> {
  if (former === null) return
  try {
    await endSession(ctx, requestId, former)
  } catch (error) {
    const session = former.session.publicId
    ctx.logger.warn({ err: error, request_id: requestId, session }, 'a replaced session could not be ended')
  }
}
