import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Creator, Webhook, Workspace } from '../../storage/rows.ts'
import type { Context } from './context.ts'
import { isKeyForm, type KeyEntry } from './keys.ts'
import { notFound, Problem } from './problems.ts'

/** Who asks, and for which workspace. */
export interface Caller {
  readonly workspace: Workspace
  /** Recorded as the creator of what the caller creates. */
  readonly creator: Creator
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of a route behind a key. */
    caller: Caller | null
  }
}

/** The caller that the route's guard let in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('this route has no guard')
  return request.caller
}

interface KeyGuardOptions {
  /** The only dialect whose keys this route knows. */
  readonly dialect: string
  readonly scopes: readonly string[]
}

/**
 * Lets a key in that is valid, belongs to the route's dialect and workspace and has every scope. It runs before the
 * body is read, so that strangers cannot make the service parse megabytes.
 *
 * It takes a callback, not a promise: a key that was seen a moment ago costs no turn of the event loop.
 */
export function keyGuard(ctx: Context, options: KeyGuardOptions): onRequestHookHandler {
  return (request, _reply, done) => {
    const key = bearerToken(request)
    if (key === null) return done(credentialsMissing('an API key'))
    if (!isKeyForm(key)) return done(unauthorized('key_invalid', 'This is not an API key of this service.'))
    const cached = ctx.keys.cached(key)
    if (cached !== null) return done(admit(ctx, options, request, cached))
    ctx.keys.find(key).then((found) => done(admit(ctx, options, request, found)), done)
  }
}

function admit(
  ctx: Context,
  { dialect, scopes }: KeyGuardOptions,
  request: FastifyRequest,
  entry: KeyEntry | null,
): Problem | undefined {
  if (entry === null)
    return unauthorized('key_invalid', 'This API key does not exist; it may have been deleted.')
  const { key, workspace } = entry
  if (key.revokedAt !== null) return unauthorized('key_revoked', 'This API key was revoked; use another one.')
  if (key.expiresAt !== null && key.expiresAt <= ctx.clock.now()) {
    return unauthorized('key_expired', `This API key expired at ${new Date(key.expiresAt).toISOString()}.`)
  }
  ctx.keys.noteUse(key.id)
  const { ws } = request.params as { readonly ws?: string }
  const isTheirs = ws === undefined || ws === workspace.publicId || ws === workspace.slug
  // A key of another dialect learns no more than one of another workspace: that there is nothing here for it.
  if (workspace.dialect !== dialect || !isTheirs) return notFound('workspace')
  const missing = scopes.filter((scope) => !key.scopes.includes(scope))
  if (missing.length > 0) return scopeMissing(missing, scopes)
  request.caller = { workspace, creator: { type: 'key', publicId: key.publicId } }
  return undefined
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
 * A key changes and removes only webhooks that it created. Changing means to alter the subscription: PATCH, DELETE
 * and rotate-secret. Tests, redeliveries and replays send what the subscription asked for anyway, so any key with
 * the scope may set them off.
 */
export function mustBeCreator(caller: Caller, webhook: Webhook): void {
  const { createdBy } = webhook
  if (createdBy.type === caller.creator.type && createdBy.publicId === caller.creator.publicId) return
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

function scopeMissing(missing: readonly string[], needed: readonly string[]): Problem {
  const challenge = `Bearer realm="posthorn", error="insufficient_scope", scope="${needed.join(' ')}"`
  return new Problem('scope_missing', `This API key lacks the scope ${missing.join(' and ')}.`, {
    headers: { 'www-authenticate': challenge },
  })
}
