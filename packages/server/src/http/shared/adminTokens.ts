import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { AdminToken } from '../../storage/rows.ts'
import { unauthorized } from './authProblems.ts'
import type { Context } from './context.ts'
import { credentialKind } from './credentials.ts'
import { Problem } from './problems.ts'
import type { Attempt } from './throttle/authentications.ts'

const NOT_VALID = 'This is not an admin token of this service. Check that you copied all of it.'

/** Whether a text has the form of a named token. */
export const isMadeToken = (text: string): boolean => credentialKind(text, ['adminToken']) !== null

/** @returns `undefined`: it is the bootstrap token, or an active named token */
export async function authenticateAdminToken(
  ctx: Context,
  request: FastifyRequest,
  text: string,
): Promise<Problem | undefined> {
  if (!isMadeToken(text)) return refuseAdminToken(ctx, { kind: 'admin_token', text, request }, NOT_VALID)
  const attempt: Attempt = { kind: 'named_admin_token', text, request }
  // The bootstrap token is any text of 16 characters or more, and may have this form.
  const find = async () => {
    if (isBootstrapToken(ctx, text)) return { token: null }
    const token = await ctx.credentials.findAdminToken(text)
    return token === null ? null : { token }
  }
  const found = await ctx.authentications.lookUp(attempt, find, () =>
    unauthorized('admin_token_invalid', NOT_VALID),
  )
  if (found instanceof Problem) return found
  const { token } = found
  if (token === null) return undefined
  const problem = whyEnded(token, ctx.clock.now())
  if (problem !== null) return ctx.authentications.outdated(attempt, problem)
  ctx.credentials.noteUseOfAdminToken(token.id)
  request.operator = { type: 'operator', id: token.publicId, sessionId: null }
  return undefined
}

/** @returns `undefined`: it is the bootstrap token */
export function refuseAdminToken(ctx: Context, attempt: Attempt, detail: string): Problem | undefined {
  return (
    ctx.authentications.compare(
      attempt,
      () => isBootstrapToken(ctx, attempt.text),
      () => unauthorized('admin_token_invalid', detail),
    ) ?? undefined
  )
}

/** The comparison needs texts of equal length: hashes are, and hide the length of the token. */
const isBootstrapToken = (ctx: Context, token: string) =>
  timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', ctx.adminToken, 'buffer'))

/** Only a client with the whole token gets to know that it was valid. */
function whyEnded({ name, expiresAt, revokedAt }: AdminToken, now: number): Problem | null {
  if (revokedAt !== null) {
    const at = new Date(revokedAt).toISOString()
    return unauthorized(
      'admin_token_revoked',
      `The admin token "${name}" was revoked at ${at}; use another one.`,
    )
  }
  if (expiresAt === null || expiresAt > now) return null
  const at = new Date(expiresAt).toISOString()
  return unauthorized('admin_token_expired', `The admin token "${name}" expired at ${at}; create a new one.`)
}
