import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../../core/duration.ts'
import type { Context } from './context.ts'

const isEncrypted = (ctx: Context) => ctx.publicUrl().startsWith('https:')

/** Browsers take a name with this prefix only from the host itself, over TLS; so no neighbour can plant one. */
const nameOf = (ctx: Context) => (isEncrypted(ctx) ? '__Host-posthorn_session' : 'posthorn_session')

const attributesOf = (ctx: Context) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isEncrypted(ctx) }) as const

/** The token in the cookie of a session; `null`: the request carries none. */
export function sessionCookie(ctx: Context, request: FastifyRequest): string | null {
  const { cookie } = request.headers
  return cookie === undefined ? null : (request.server.parseCookie(cookie)[nameOf(ctx)] ?? null)
}

/** @param lifeMs how long the session lasts */
export function setSessionCookie(ctx: Context, reply: FastifyReply, token: string, lifeMs: number): void {
  reply.setCookie(nameOf(ctx), token, { ...attributesOf(ctx), maxAge: Math.floor(lifeMs / SECOND_MS) })
}

export function clearSessionCookie(ctx: Context, reply: FastifyReply): void {
  reply.clearCookie(nameOf(ctx), attributesOf(ctx))
}
