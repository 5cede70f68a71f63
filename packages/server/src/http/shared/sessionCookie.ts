import type { FastifyReply, FastifyRequest } from 'fastify'
import { SECOND_MS } from '../../core/duration.ts'
import { urlOf } from './adminListener.ts'
import type { Context } from './context.ts'

const SESSION = 'posthorn_session'

const isEncrypted = (ctx: Context, request: FastifyRequest) => urlOf(ctx, request).startsWith('https:')

/** Browsers take a name with this prefix only from the host itself, over TLS and for all paths; so no neighbor can plant one. */
const nameOf = (ctx: Context, request: FastifyRequest, name: string) =>
  isEncrypted(ctx, request) ? `__Host-${name}` : name

const attributesOf = (ctx: Context, request: FastifyRequest) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: isEncrypted(ctx, request) }) as const

/** @returns `null`: the request carries none of the name */
export function readCookie(ctx: Context, request: FastifyRequest, name: string): string | null {
  const { cookie } = request.headers
  return cookie === undefined
    ? null
    : (request.server.parseCookie(cookie)[nameOf(ctx, request, name)] ?? null)
}

/** @param lifeMs how long the browser keeps it */
export function setCookie(
  ctx: Context,
  reply: FastifyReply,
  name: string,
  value: string,
  lifeMs: number,
): void {
  reply.setCookie(nameOf(ctx, reply.request, name), value, {
    ...attributesOf(ctx, reply.request),
    maxAge: Math.floor(lifeMs / SECOND_MS),
  })
}

export function clearCookie(ctx: Context, reply: FastifyReply, name: string): void {
  reply.clearCookie(nameOf(ctx, reply.request, name), attributesOf(ctx, reply.request))
}

/** The token in the cookie of a session; `null`: the request carries none. */
export const sessionCookie = (ctx: Context, request: FastifyRequest): string | null =>
  readCookie(ctx, request, SESSION)

/** @param lifeMs how long the session lasts */
export const setSessionCookie = (ctx: Context, reply: FastifyReply, token: string, lifeMs: number): void =>
  setCookie(ctx, reply, SESSION, token, lifeMs)

export const clearSessionCookie = (ctx: Context, reply: FastifyReply): void =>
  clearCookie(ctx, reply, SESSION)
