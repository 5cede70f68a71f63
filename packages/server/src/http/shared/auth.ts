import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ApiKey, AuditActor, Creator, Role, Webhook, Workspace } from '../../storage/rows.ts'
import type { Context } from './context.ts'
import { credentialKind, type Identity } from './credentials.ts'
import { notFound, Problem } from './problems.ts'

/** Who asks, and for which workspace. */
export interface Caller {
  readonly workspace: Workspace
  /** Recorded as the creator of what the caller creates. */
  readonly creator: Creator
  readonly actor: AuditActor
  /** Of the signed-in member, or of the member whom the key was made for; `null`: of nobody. */
  readonly role: Role | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of a route that is not the operator's. */
    caller: Caller | null
  }
}

/** The caller that the route's guard let in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no guard')
  return request.caller
}

export interface Access {
  /** The only dialect whose callers this route knows. */
  readonly dialect: string
  /** What a key must be allowed. */
  readonly scopes: readonly string[]
  /**
   * Which signed-in members are let in: every one, owners alone, or none since only services do this. `owners-and-keys`
   * lets in owners alone and, of keys, those made for an owner.
   */
  readonly members: 'all' | 'owners' | 'owners-and-keys' | 'none'
}

/**
 * Lets a key or a signed-in member in that is valid, belongs to the route's dialect and workspace and may do what the
 * route does. It runs before the body is read, so that strangers cannot make the service parse megabytes.
 *
 * It takes a callback, not a promise: a key that was seen a moment ago costs no turn of the event loop.
 */
export function guard(ctx: Context, access: Access): onRequestHookHandler {
  return (request, _reply, done) => {
    const text = bearerToken(request)
    if (text === null) return done(credentialsMissing('an API key'))
    const kind = credentialKind(text)
    if (kind === null) return done(unauthorized('key_invalid', 'This is not an API key of this service.'))
    const cached = ctx.credentials.cached(text)
    if (cached !== null) return done(admit(ctx, access, request, cached))
    ctx.credentials.find(kind, text).then((found) => {
      if (found !== null) return done(admit(ctx, access, request, found))
      const detail = 'This API key or session does not exist; it may have been deleted.'
      return done(unauthorized('key_invalid', detail))
    }, done)
  }
}

function admit(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
  identity: Identity,
): Problem | undefined {
  const { workspace } = identity
  const refusal = refuseInvalid(ctx, identity)
  if (refusal !== null) return refusal
  if (identity.kind === 'key') ctx.credentials.noteUse(identity.key.id)
  const { ws } = request.params as { readonly ws?: string }
  const isTheirs = ws === undefined || ws === workspace.publicId || ws === workspace.slug
  // One of another dialect learns no more than one of another workspace: that there is nothing here for it.
  if (workspace.dialect !== access.dialect || !isTheirs) return notFound('workspace')
  const denial = identity.kind === 'key' ? denyKey(access, identity.key) : denyMember(access, identity)
  if (denial !== null) return denial
  request.caller = callerFrom(identity)
  return undefined
}

/** The refusal of a credential that was good once. */
function refuseInvalid(ctx: Context, identity: Identity): Problem | null {
  const now = ctx.clock.now()
  if (identity.kind === 'session') {
    const { expiresAt } = identity.session
    return expiresAt > now ? null : expired('session', expiresAt)
  }
  const { revokedAt, expiresAt } = identity.key
  if (revokedAt !== null) return unauthorized('key_revoked', 'This API key was revoked; use another one.')
  return expiresAt === null || expiresAt > now ? null : expired('API key', expiresAt)
}

function denyKey({ scopes, members }: Access, key: ApiKey): Problem | null {
  const missing = scopes.filter((scope) => !key.scopes.includes(scope))
  if (missing.length > 0) return scopeMissing(missing, scopes)
  if (members !== 'owners-and-keys' || key.memberRole === 'owner') return null
  return new Problem('role_missing', 'Only keys that were made for an owner of the workspace may read this.')
}

function denyMember({ members }: Access, { member }: Extract<Identity, { kind: 'session' }>): Problem | null {
  if (members === 'none') return new Problem('role_missing', 'Only API keys may do this, not members.')
  if (members === 'all' || member.role === 'owner') return null
  return new Problem('role_missing', `Only owners of the workspace may do this; you are its ${member.role}.`)
}

function callerFrom(identity: Identity): Caller {
  const { workspace } = identity
  if (identity.kind === 'key') {
    const { publicId, memberRole } = identity.key
    return {
      workspace,
      creator: { type: 'key', publicId },
      actor: { type: 'key', id: publicId, sessionId: null },
      role: memberRole,
    }
  }
  const { member, session } = identity
  return {
    workspace,
    creator: { type: 'member', publicId: member.publicId },
    actor: { type: 'member', id: member.publicId, sessionId: session.publicId },
    role: member.role,
  }
}

/** Lets the operator's provisioning token in. */
export function adminGuard(ctx: Context): onRequestHookHandler {
  const expected = hash('sha256', ctx.adminToken, 'buffer')
  return (request, _reply, done) => {
    const token = bearerToken(request)
    if (token === null) return done(credentialsMissing('the admin token'))
    // Hashing first makes both sides equally long, which the comparison asks for and which hides the length.
    if (timingSafeEqual(hash('sha256', token, 'buffer'), expected)) return done()
    ctx.logger.warn({ request_id: request.id, ip: request.ip }, 'wrong admin token')
    done(unauthorized('admin_token_invalid', 'This is not the admin token of this service.'))
  }
}

/**
 * A key changes and removes only webhooks that it created; an owner who is signed in, all of the workspace. Changing
 * means to alter the subscription: PATCH, DELETE and rotate-secret. Tests, redeliveries and replays send what the
 * subscription asked for anyway, so any key with the scope may set them off.
 */
export function mustBeCreator(caller: Caller, webhook: Webhook): void {
  const { createdBy } = webhook
  if (caller.creator.type === 'member') return
  if (createdBy.type === 'key' && createdBy.publicId === caller.creator.publicId) return
  throw new Problem(
    'not_creator',
    'An API key can change and remove only the webhooks that it created itself.',
  )
}

function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')
  return match === null ? null : match[1]!
}

function credentialsMissing(what: string): Problem {
  return new Problem('credentials_missing', `Send ${what} as "Authorization: Bearer …".`, {
    headers: { 'www-authenticate': 'Bearer realm="posthorn"' },
  })
}

function unauthorized(
  code: 'key_invalid' | 'key_expired' | 'key_revoked' | 'admin_token_invalid',
  detail: string,
): Problem {
  const challenge = 'Bearer realm="posthorn", error="invalid_token"'
  return new Problem(code, detail, { headers: { 'www-authenticate': challenge } })
}

function expired(what: string, at: number): Problem {
  return unauthorized('key_expired', `This ${what} expired at ${new Date(at).toISOString()}.`)
}

function scopeMissing(missing: readonly string[], needed: readonly string[]): Problem {
  const challenge = `Bearer realm="posthorn", error="insufficient_scope", scope="${needed.join(' ')}"`
  return new Problem('scope_missing', `This API key lacks the scope ${missing.join(' and ')}.`, {
    headers: { 'www-authenticate': challenge },
  })
}
