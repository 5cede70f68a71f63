import { signedInGuard, signedInOf } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses, SIGNED_IN_PROBLEMS } from '../shared/problems.ts'
import { sessionJson } from './present.ts'
import { SessionSchema } from './schemas.ts'

const schema = {
  operationId: 'getSession',
  tags: ['Signing in'],
  summary: 'Get the signed-in person',
  description: 'The person, the workspaces of which they are a member now, and their rights in each.',
  response: { 200: SessionSchema, ...problemResponses(...SIGNED_IN_PROBLEMS) },
}

export const getSession: Route = (app, ctx) => {
  app.get('/console/v1/session', { schema, onRequest: signedInGuard(ctx) }, async (request) =>
    sessionJson(ctx, signedInOf(request)),
  )
}
