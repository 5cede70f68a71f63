import { signedInGuard, signedInOf } from '../shared/auth.ts'
import { changeInStore } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { BODY_PROBLEMS, problemResponses, SIGNED_IN_PROBLEMS } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { clearSessionCookie } from '../shared/sessionCookie.ts'

const schema = {
  operationId: 'signOutEverywhere',
  tags: ['Signing in'],
  summary: 'Sign out everywhere',
  description:
    'Ends all sessions of the signed-in address, in every browser and every product. In a session of a single member, such as one that was started by a portal link, only the sessions of this member end. It takes effect immediately on this node and within 5 seconds on others. Unused sign-in links stop working.',
  response: { 204: noContent, ...problemResponses(...SIGNED_IN_PROBLEMS, ...BODY_PROBLEMS) },
}

export const deleteSessions: Route = (app, ctx) => {
  app.delete('/console/v1/sessions', { schema, onRequest: signedInGuard(ctx) }, async (request, reply) => {
    const signedIn = signedInOf(request)
    const now = ctx.clock.now()
    if (signedIn.kind === 'browser') {
      const { id: sessionId } = signedIn.session
      await ctx.storage.signIns.endBrowserSessions({ sessionId, now, requestId: request.id })
    } else {
      const { member, workspace } = signedIn
      await changeInStore(
        ctx,
        request,
        {
          call: 'deleteSessions',
          // A product began this session for this member only, so it cannot act for the address.
          params: { workspaceId: workspace.id, memberId: member.id, ofAddress: false, now },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.signed_out',
          target: { type: 'member', id: member.publicId },
          details: { everywhere: true },
        },
      )
    }
    ctx.credentials.forget()
    clearSessionCookie(ctx, reply)
    reply.code(204)
    return null
  })
}
