import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeliveryStatus } from '../../core/delivery.ts'
import type { By } from '../../engine/engine.ts'
import type { DeliveryRecord, Workspace } from '../../storage/rows.ts'
import type { ManualSendResult } from '../../storage/storage.ts'
import { changing } from './changes.ts'
import type { DialectContext } from './context.ts'
import { limitOf, readCursor, writeCursor } from './pages.ts'
import { invalidRequest, notFound, Problem } from './problems.ts'
import { rateLimitHeaders } from './rateLimit.ts'
import { parseTime, TIME_MESSAGE } from './time.ts'

/** @throws Problem `not_found` */
export async function findDelivery(
  ctx: DialectContext,
  workspace: Workspace,
  id: string,
): Promise<DeliveryRecord> {
  const deliveryId = ctx.engine.ids.parseDelivery(workspace, id)
  const delivery =
    deliveryId === null ? null : await ctx.storage.getDelivery({ workspaceId: workspace.id, deliveryId })
  if (delivery === null) throw notFound('delivery')
  return delivery
}

/** A span of time in a query string or body: from the first, to just before the second. */
export interface TimeSpan {
  readonly from: number | null
  readonly to: number | null
}

/** @throws Problem that names what is no time, or a span that ends before it begins */
export function readSpan(span: { readonly from?: string; readonly to?: string }, where: string): TimeSpan {
  const read = (name: 'from' | 'to'): number | null => {
    const text = span[name]
    if (text === undefined) return null
    const time = parseTime(text)
    if (time === null) throw invalidRequest([{ pointer: `/${name}`, message: TIME_MESSAGE }], where)
    return time
  }
  const [from, to] = [read('from'), read('to')]
  if (from !== null && to !== null && from >= to) {
    throw invalidRequest([{ pointer: '/to', message: 'must be later than from' }], where)
  }
  return { from, to }
}

interface SearchQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly from?: string
  readonly to?: string
}

/** Reads one page of deliveries, newest first, of one webhook or of all. */
export async function searchDeliveries(
  ctx: DialectContext,
  workspace: Workspace,
  query: SearchQuery,
  filter: {
    readonly webhookId: number | null
    readonly status: DeliveryStatus | undefined
    readonly eventType: string | undefined
  },
): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly nextCursor: string | null }> {
  const { webhookId, status = null, eventType = null } = filter
  const scope =
    webhookId === null
      ? { list: 'workspace deliveries' as const, ownerId: workspace.id }
      : { list: 'deliveries' as const, ownerId: webhookId }
  const span = readSpan(query, 'query string')
  const position = query.cursor === undefined ? null : readCursor(ctx, scope, query.cursor)
  const before = position === null ? null : { createdAt: position[0]!, id: position[1]! }
  const { deliveries, next } = await ctx.storage.searchDeliveries({
    workspaceId: workspace.id,
    webhookId,
    status,
    eventType,
    ...span,
    limit: limitOf(query),
    before,
  })
  const nextCursor = next === null ? null : writeCursor(ctx, scope, [next.createdAt, next.id])
  return { deliveries, nextCursor }
}

/**
 * Makes a test, a redelivery or a replay and answers 202 with the delivery.
 * @param wrongStatus the problem of a delivery that is not in the right state
 */
export async function sendManually(
  ctx: DialectContext,
  request: FastifyRequest,
  reply: FastifyReply,
  wrongStatus: 'delivery_not_finished' | 'delivery_not_dead',
  send: (by: By) => Promise<ManualSendResult>,
): Promise<DeliveryRecord> {
  const result = await changing(ctx, request, send)
  switch (result.outcome) {
    case 'accepted':
      reply.code(202).headers(rateLimitHeaders(ctx.dialect, result.limit))
      return result.delivery
    case 'not_found':
      throw notFound('delivery')
    case 'webhook_not_on':
      throw new Problem('webhook_not_on', `The webhook is ${result.status}; turn it on first.`)
    case 'wrong_status':
      throw new Problem(wrongStatus, `The delivery is ${result.status}.`)
    case 'rate_limited':
      throw rateLimited(ctx, result)
  }
}

function rateLimited(
  { dialect }: DialectContext,
  { limit }: Extract<ManualSendResult, { outcome: 'rate_limited' }>,
): Problem {
  const seconds = Math.max(1, Math.ceil(limit.resetMs / 1000))
  const detail = `Tests and redeliveries of the workspace share one limit; try again in ${seconds} s.`
  const headers = { 'retry-after': String(seconds), ...rateLimitHeaders(dialect, limit) }
  return new Problem('rate_limited', detail, { headers })
}
