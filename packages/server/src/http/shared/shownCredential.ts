import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { AuditActor } from '../../storage/auditRows.ts'
import { credentialsMissing, expired, sessionInvalid, unauthorized } from './authProblems.ts'
import type { SignedIn } from './caller.ts'
import { tellTime } from './commonHeaders.ts'
import type { Context } from './context.ts'
import { BEARERS, credentialKind, type Identity, IN_COOKIES, type ShownKind } from './credentials.ts'
import { refuseCrossSite } from './crossSite.ts'
import { Problem } from './problems.ts'
import { sessionCookie } from './sessionCookie.ts'
import type { Attempt } from './throttle/authentications.ts'

export type Browser = Extract<Identity, { kind: 'browser' }>

/** Whether a browser's session is one of the admin token or of an operator's address. */
export const isOperator = ({ session, operator }: Browser) => session.email === null || operator !== null

export const operatorActor = ({ session, operator }: Browser): AuditActor => ({
  type: 'operator',
  id: operator?.publicId ?? null,
  sessionId: session.publicId,
})

export type Judgement = Problem | undefined

/** @param judge decides on the credential that a request shows, once it was found to be a valid one */
export function authenticate(
  ctx: Context,
  judge: (request: FastifyRequest, identity: Identity) => Judgement | Promise<Judgement>,
): onRequestHookHandler {
  return (request, reply, done) => {
    const shown = credentialOf(ctx, request)
    if (shown instanceof Problem) return done(shown)
    const judged = (identity: Identity) => {
      if (identity.kind !== 'key') tellTime(ctx.clock, reply)
      const judgement = refuseOutdated(ctx, shown, identity) ?? judge(request, identity)
      if (judgement instanceof Promise) judgement.then(done, done)
      else done(judgement)
    }
    const cached = ctx.credentials.cached(shown.attempt.text)
    if (cached !== null) return judged(cached)
    lookUp(ctx, shown).then((found) => {
      if (found instanceof Problem) done(found)
      else judged(found)
    }, done)
  }
}

interface Shown {
  readonly kind: ShownKind
  readonly attempt: Attempt
  /** The refusal when there is no such credential. */
  readonly unknown: () => Problem
}

function lookUp(ctx: Context, { kind, attempt, unknown }: Shown): Promise<Identity | Problem> {
  const { text } = attempt
  // By the time that it is this one's turn, another request may have found it.
  const find = async () => ctx.credentials.cached(text) ?? ctx.credentials.find(kind, text)
  return ctx.authentications.lookUp(attempt, find, unknown)
}

/** An Authorization header takes precedence: browsers also send cookies with requests that other sites trigger. */
function credentialOf(ctx: Context, request: FastifyRequest): Shown | Problem {
  if (request.headers.authorization === undefined) {
    const text = sessionCookie(ctx, request)
    if (text !== null) return cookieOf(ctx, request, text)
  }
  const text = bearerToken(request)
  if (text === null) return credentialsMissing('an API key')
  const kind = credentialKind(text, BEARERS)
  const refusal = (detail: string) => () => unauthorized('key_invalid', detail)
  if (kind === null) {
    const wrong = refusal('This is not an API key of this service. Check that you copied all of it.')
    return ctx.authentications.malformed({ kind: 'key', text, request }, wrong)
  }
  const unknown = refusal('This API key or session does not exist; it may have been deleted.')
  return { kind, attempt: { kind: kind === 'key' ? kind : 'session', text, request }, unknown }
}

function cookieOf(ctx: Context, request: FastifyRequest, text: string): Shown | Problem {
  const crossSite = refuseCrossSite(ctx, request)
  if (crossSite !== null) return crossSite
  const kind = credentialKind(text, IN_COOKIES)
  const attempt: Attempt = { kind: 'session', text, request }
  if (kind === null) return ctx.authentications.malformed(attempt, sessionInvalid)
  return { kind, attempt, unknown: sessionInvalid }
}

/** Who is signed in by a cookie. @returns a problem if the session is not valid; `null` when the request carries no cookie */
export async function signedInByCookie(
  ctx: Context,
  request: FastifyRequest,
): Promise<SignedIn | Problem | null> {
  const text = sessionCookie(ctx, request)
  if (text === null) return null
  const shown = cookieOf(ctx, request, text)
  if (shown instanceof Problem) return shown
  const found = ctx.credentials.cached(text) ?? (await lookUp(ctx, shown))
  if (found instanceof Problem) return found
  if (found.kind === 'key') return sessionInvalid()
  return refuseOutdated(ctx, shown, found) ?? found
}

/** The refusal of a credential that was good once. */
function refuseOutdated(ctx: Context, { attempt }: Shown, identity: Identity): Problem | null {
  const problem = whyOutdated(ctx, identity)
  return problem === null ? null : ctx.authentications.outdated(attempt, problem)
}

function whyOutdated(ctx: Context, identity: Identity): Problem | null {
  const now = ctx.clock.now()
  if (identity.kind === 'browser') {
    const { expiresAt, byProvider } = identity.session
    const hasAccess = isOperator(identity) || identity.memberships.length > 0
    // Turning the provider off ends its sessions, for instance after it was compromised.
    const isOfNoProvider = byProvider && ctx.signInProvider === null
    return expiresAt > now && hasAccess && !isOfNoProvider ? null : sessionInvalid()
  }
  if (identity.kind === 'session') {
    const { expiresAt } = identity.session
    return expiresAt > now ? null : expired('session', expiresAt)
  }
  const { revokedAt, expiresAt } = identity.key
  if (revokedAt !== null) return unauthorized('key_revoked', 'This API key was revoked; use another one.')
  return expiresAt === null || expiresAt > now ? null : expired('API key', expiresAt)
}

export function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')
  return match === null ? null : match[1]!
}
