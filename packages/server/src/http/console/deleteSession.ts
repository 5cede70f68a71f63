import { signedInGuard, signedInOf } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { endSession } from '../shared/formerSession.ts'
import { BODY_PROBLEMS, problemResponses, SIGNED_IN_PROBLEMS } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { clearSessionCookie } from '../shared/sessionCookie.ts'

const schema = {
  operationId: 'signOut',
  tags: ['Signing in'],
  summary: 'Sign out',
  description: 'The session ends, immediately on this node and within 5 seconds on others.',
  response: { 204: noContent, ...problemResponses(...SIGNED_IN_PROBLEMS, ...BODY_PROBLEMS) },
}

export const deleteSession: Route = (app, ctx) => {
  app.delete('/console/v1/session', { schema, onRequest: signedInGuard(ctx) }, async (request, reply) => {
    await endSession(ctx, request.id, signedInOf(request))
    clearSessionCookie(ctx, reply)
    reply.code(204)
    return null
  })
}
