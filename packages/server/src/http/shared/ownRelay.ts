import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { rightsIn, workspaceAsked } from './authorization.ts'
import type { Access } from './caller.ts'
import { ADMIN_TOKEN } from './changes.ts'
import type { Context } from './context.ts'
import { notFound, Problem } from './problems.ts'
import { bearerToken, type Judgement } from './shownCredential.ts'
import { SEES_ALL } from './visibility.ts'

/** What the token of the relay begins with. */
export const RELAY_PREFIX = 'phr_'

/**
 * Whether the relay of this process makes the request: its token is random, new at each start, and never leaves memory. It
 * may publish for every workspace, as the operator who named its outbox decided.
 */
export function isOwnRelay({ relayToken }: Context, request: FastifyRequest): boolean {
  const token = bearerToken(request)
  if (token?.startsWith(RELAY_PREFIX) !== true) return false
  return timingSafeEqual(hash('sha256', token, 'buffer'), hash('sha256', relayToken, 'buffer'))
}

/** Sets the request's caller, where the route publishes. */
export async function authorizeRelay(
  ctx: Context,
  access: Access,
  request: FastifyRequest,
): Promise<Judgement> {
  const workspace = await workspaceAsked(ctx, access, request)
  if (workspace === null) return notFound('workspace')
  if (rightsIn(access, workspace).members !== 'none')
    return new Problem('role_missing', 'The relay of an outbox can only publish.')
  request.caller = {
    workspace,
    // Its bodies count for the workspace, as those of a key would.
    creator: { type: 'key', publicId: `relay of ${workspace.publicId}` },
    actor: ADMIN_TOKEN,
    role: null,
    member: null,
    visibility: SEES_ALL,
  }
  return undefined
}
