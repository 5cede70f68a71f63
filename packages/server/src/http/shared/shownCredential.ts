import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { AuditActor } from '../../storage/rows.ts'
import { credentialsMissing, expired, sessionInvalid, unauthorized } from './authProblems.ts'
import type { SignedIn } from './caller.ts'
import { tellTime } from './commonHeaders.ts'
import type { Context } from './context.ts'
import { BEARERS, credentialKind, type Identity, IN_COOKIES, type ShownKind } from './credentials.ts'
import { refuseCrossSite } from './crossSite.ts'
import { Problem } from './problems.ts'
import { sessionCookie } from './sessionCookie.ts'

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
export function letIn(
  ctx: Context,
  judge: (request: FastifyRequest, identity: Identity) => Judgement | Promise<Judgement>,
): onRequestHookHandler {
  return (request, reply, done) => {
    const shown = credentialOf(ctx, request)
    if (shown instanceof Problem) return done(shown)
    const judged = (identity: Identity) => {
      if (identity.kind !== 'key') tellTime(ctx.clock, reply)
      const judgement = refuseInvalid(ctx, identity) ?? judge(request, identity)
      if (judgement instanceof Promise) judgement.then(done, done)
      else done(judgement)
    }
    const cached = ctx.credentials.cached(shown.text)
    if (cached !== null) return judged(cached)
    ctx.credentials.find(shown.kind, shown.text).then((found) => {
      if (found !== null) judged(found)
      else done(shown.unknown())
    }, done)
  }
}

interface Shown {
  readonly kind: ShownKind
  readonly text: string
  /** The refusal when there is no such credential. */
  readonly unknown: () => Problem
}

/** Where there is an Authorization header, that alone counts: a cookie is sent by the browser, whoever made it ask. */
function credentialOf(ctx: Context, request: FastifyRequest): Shown | Problem {
  if (request.headers.authorization === undefined) {
    const text = sessionCookie(ctx, request)
    if (text !== null) return cookieOf(ctx, request, text)
  }
  const text = bearerToken(request)
  if (text === null) return credentialsMissing('an API key')
  const kind = credentialKind(text, BEARERS)
  if (kind === null) return unauthorized('key_invalid', 'This is not an API key of this service.')
  const detail = 'This API key or session does not exist; it may have been deleted.'
  return { kind, text, unknown: () => unauthorized('key_invalid', detail) }
}

function cookieOf(ctx: Context, request: FastifyRequest, text: string): Shown | Problem {
  const kind = credentialKind(text, IN_COOKIES)
  return (
    refuseCrossSite(ctx, request) ??
    (kind === null ? sessionInvalid() : { kind, text, unknown: sessionInvalid })
  )
}

/** Who is signed in by a cookie. @returns a refusal when nobody is; `null` when the request carries no cookie */
export async function signedInByCookie(
  ctx: Context,
  request: FastifyRequest,
): Promise<SignedIn | Problem | null> {
  const text = sessionCookie(ctx, request)
  if (text === null) return null
  const shown = cookieOf(ctx, request, text)
  if (shown instanceof Problem) return shown
  const identity = ctx.credentials.cached(text) ?? (await ctx.credentials.find(shown.kind, text))
  if (identity === null || identity.kind === 'key') return sessionInvalid()
  return refuseInvalid(ctx, identity) ?? identity
}

/** The refusal of a credential that was good once. */
function refuseInvalid(ctx: Context, identity: Identity): Problem | null {
  const now = ctx.clock.now()
  if (identity.kind === 'browser') {
    const isSomebody = isOperator(identity) || identity.memberships.length > 0
    return identity.session.expiresAt > now && isSomebody ? null : sessionInvalid()
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
