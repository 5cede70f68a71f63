import type { FastifyRequest } from 'fastify'
import type { Context } from './context.ts'

/** Changes that an operator wants to find again when something went wrong or somebody got in. */
export type SecurityEvent =
  | 'workspace created'
  | 'workspace suspended'
  | 'workspace resumed'
  | 'workspace deleted'
  | 'member added'
  | 'member removed'
  | 'key created'
  | 'key revoked'
  | 'webhook created'
  | 'webhook changed'
  | 'webhook deleted'
  | 'webhook secret rotated'

/** @param ids public ids only; targets stay out, since their URLs often carry a token */
export function audit(
  ctx: Context,
  request: FastifyRequest,
  event: SecurityEvent,
  ids: Readonly<Record<string, string>>,
): void {
  const by = request.caller?.creator.publicId ?? 'admin'
  ctx.logger.info({ audit: event, ...ids, by, request_id: request.id }, event)
}
