import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { AuditActor } from '../../storage/auditRows.ts'
import type { Creator, Webhook } from '../../storage/rows.ts'
import { authenticateAdminToken } from './adminTokens.ts'
import { authorize, callerFrom } from './authorization.ts'
import { credentialsMissing, keysNotMeant, operatorsOnly } from './authProblems.ts'
import type { Access, Caller, SignedIn } from './caller.ts'
import { tellTime } from './commonHeaders.ts'
import type { Context } from './context.ts'
import { authorizeRelay, isOwnRelay } from './ownRelay.ts'
import { Problem } from './problems.ts'
import { authenticate, bearerToken, isOperator, operatorActor, signedInByCookie } from './shownCredential.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of a route that is not the operator's. */
    caller: Caller | null
    /** Set by the guard of a route for people who are signed in. */
    signedIn: SignedIn | null
    /** On the operator's routes, the signed-in operator or the named admin token; `null`: the bootstrap token. */
    operator: AuditActor | null
  }
}

/** The caller that the route's guard let in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no guard')
  return request.caller
}

/** The person that {@link signedInGuard} let in. */
export function signedInOf(request: FastifyRequest): SignedIn {
  if (request.signedIn === null) throw new Error('this route has no guard')
  return request.signedIn
}

/** For routes under `/console/v1/workspaces/:ws`: every signed-in member of the workspace, whichever service it is of. */
export const ANY_MEMBER: Access = { layout: null, rights: { scopes: null, members: 'all' } }

/**
 * Lets in a valid key, or a person who is signed in, of the route's workspace, that may do what the
 * route does. It runs before the body is read, so that strangers cannot make the service parse megabytes.
 *
 * It takes a callback, not a promise: a key that was seen a moment ago costs no turn of the event loop.
 */
export function guard(ctx: Context, access: Access): onRequestHookHandler {
  const byCredential = authenticate(ctx, (request, identity) => authorize(ctx, access, request, identity))
  return function judge(request, reply, done) {
    if (!isOwnRelay(ctx, request)) return byCredential.call(this, request, reply, done)
    authorizeRelay(ctx, access, request).then(done, done)
  }
}

/**
 * Runs the authorization of a request once more. While the store does not answer, data is neither shown nor is the stream
 * ended.
 */
export function isStillAuthorized(
  app: FastifyInstance,
  authorize: onRequestHookHandler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  return new Promise((resolve) => {
    authorize.call(app, request, reply, (error) => resolve(!(error instanceof Problem)))
  })
}

/** Lets in people who are signed in, but no keys. */
export const signedInGuard = (ctx: Context): onRequestHookHandler =>
  authenticate(ctx, (request, identity) => {
    if (identity.kind === 'key') return keysNotMeant()
    request.signedIn = identity
    if (identity.kind === 'session') request.caller = callerFrom(ctx, identity)
    return undefined
  })

/** Lets in operators, and requests with an admin token. */
export function adminGuard(ctx: Context): onRequestHookHandler {
  return (request, reply, done) => {
    const token = bearerToken(request)
    if (token !== null) {
      authenticateAdminToken(ctx, request, token).then(done, done)
      return
    }
    const missing = credentialsMissing('an admin token')
    if (request.headers.authorization !== undefined) return done(missing)
    signedInByCookie(ctx, request).then((found) => {
      if (found === null || found instanceof Problem) return done(found ?? missing)
      if (found.kind !== 'browser' || !isOperator(found)) return done(operatorsOnly())
      request.operator = operatorActor(found)
      tellTime(ctx.clock, reply)
      return done()
    }, done)
  }
}

/** What the creator of something is called. */
export function creatorOf({ creator }: Caller): Creator {
  if (creator === null) throw new Error('operators create nothing in workspaces')
  return creator
}

/**
 * A key changes and removes only webhooks that it created; an owner who is signed in, all of the workspace. Changing
 * means to alter the subscription: PATCH, DELETE and rotate-secret. Tests, redeliveries and replays send what the
 * subscription asked for anyway, so any key with the scope may set them off.
 */
export function mustBeCreator(caller: Caller, webhook: Webhook): void {
  const creator = creatorOf(caller)
  const { createdBy } = webhook
  if (creator.type === 'member') return
  if (createdBy.type === 'key' && createdBy.publicId === creator.publicId) return
  throw new Problem('not_creator', 'An API key can change and remove only the webhooks that it created.')
}
