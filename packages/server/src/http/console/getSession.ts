import { signedInGuard, signedInOf } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses, SIGNED_IN_PROBLEMS } from '../shared/problems.ts'
import { sessionJson } from './present.ts'
import { SessionSchema } from './schemas.ts'

const schema = {
  operationId: 'getSession',
  tags: ['Signing in'],
  summary: 'Tell who is signed in',
  description: 'The person, the workspaces that they are a member of now, and what they may do in each.',
  response: { 200: SessionSchema, ...problemResponses(...SIGNED_IN_PROBLEMS) },
}

export const getSession: Route = (app, ctx) => {
  app.get('/console/v1/session', { schema, onRequest: signedInGuard(ctx) }, async (request) =>
    sessionJson(ctx, signedInOf(request)),
  )
}
