import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../../core/duration.ts'
import { urlOf } from './adminListener.ts'
import type { Context } from './context.ts'

const isEncrypted = (ctx: Context, request: FastifyRequest) => urlOf(ctx, request).startsWith('https:')

/** Browsers take a name with this prefix only from the host itself, over TLS; so no neighbour can plant one. */
const nameOf = (ctx: Context, request: FastifyRequest) =>
  isEncrypted(ctx, request) ? '__Host-posthorn_session' : 'posthorn_session'

const attributesOf = (ctx: Context, request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isEncrypted(ctx, request) }) as const

/** The token in the cookie of a session; `null`: the request carries none. */
export function sessionCookie(ctx: Context, request: FastifyRequest): string | null {
  const { cookie } = request.headers
  return cookie === undefined ? null : (request.server.parseCookie(cookie)[nameOf(ctx, request)] ?? null)
}

/** @param lifeMs how long the session lasts */
export function setSessionCookie(ctx: Context, reply: FastifyReply, token: string, lifeMs: number): void {
  reply.setCookie(nameOf(ctx, reply.request), token, {
    ...attributesOf(ctx, reply.request),
    maxAge: Math.floor(lifeMs / SECOND_MS),
  })
}

export function clearSessionCookie(ctx: Context, reply: FastifyReply): void {
  reply.clearCookie(nameOf(ctx, reply.request), attributesOf(ctx, reply.request))
}
