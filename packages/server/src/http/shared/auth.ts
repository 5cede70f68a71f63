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
    /** Set by the guard of routes that are not for operators. */
    caller: Caller | null
    /** Set by the guard of routes for signed-in people. */
    signedIn: SignedIn | null
    /** On the operator's routes, the signed-in operator or the named admin token; `null`: the bootstrap token. */
    operator: AuditActor | null
  }
}

/** The caller that the route's guard authorized. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no guard')
  return request.caller
}

/** The person that {@link signedInGuard} authorized. */
export function signedInOf(request: FastifyRequest): SignedIn {
  if (request.signedIn === null) throw new Error('this route has no guard')
  return request.signedIn
}

/** For routes under `/console/v1/workspaces/:ws`: every signed-in member of the workspace, of any service. */
export const ANY_MEMBER: Access = { layout: null, rights: { scopes: null, members: 'all' } }

/**
 * Authorizes a valid key or a signed-in person of the route's workspace with the rights that the route needs. It runs before the
 * body is read, so that strangers cannot make the service parse megabytes.
 *
 * It takes a callback, not a promise: a recently seen key takes no turn of the event loop.
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

/** Authorizes signed-in people, but no keys. */
export const signedInGuard = (ctx: Context): onRequestHookHandler =>
  authenticate(ctx, (request, identity) => {
    if (identity.kind === 'key') return keysNotMeant()
    request.signedIn = identity
    if (identity.kind === 'session') request.caller = callerFrom(ctx, identity)
    return undefined
  })

/** Authorizes operators, and requests with an admin token. */
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

/** The name of a creator. */
export function creatorOf({ creator }: Caller): Creator {
  if (creator === null) throw new Error('operators create nothing in workspaces')
  return creator
}

/**
 * A key can change and remove only webhooks that it created; a signed-in owner, all of the workspace. That covers PATCH, DELETE
 * and rotate-secret. Tests, redeliveries and replays only send subscribed events, so any key with the scope may request them.
 */
export function mustBeCreator(caller: Caller, webhook: Webhook): void {
  const creator = creatorOf(caller)
  const { createdBy } = webhook
  if (creator.type === 'member') return
  if (createdBy.type === 'key' && createdBy.publicId === creator.publicId) return
  throw new Problem(
    'not_creator',
    'An API key can change and delete only the webhooks that it created. Use the key that created it, or ask an owner.',
  )
}
