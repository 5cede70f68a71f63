import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { CANCEL_REASONS, type CancelReason, type DeliveryStatus } from '../../core/delivery.ts'
import { parseStatusCodes } from '../../core/statusCodes.ts'
import { FORMS } from '../../core/textForms.ts'
import type { By } from '../../engine/engine.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { DeliveryRecord, Workspace } from '../../storage/rows.ts'
import type { ManualSendResult, RetryWebhookResult } from '../../storage/storage.ts'
import type { Caller } from './caller.ts'
import { changing } from './changes.ts'
import type { Context, ServiceContext } from './context.ts'
import { eventOrNull } from './feed.ts'
import { limitOf, readCursor, writeCursor } from './pages.ts'
import { invalidRequest, notFound, Problem } from './problems.ts'
import { manualSendsText, rateLimitHeaders } from './rateLimit.ts'
import { type Asking, readQuestion } from './search.ts'
import { parseTime, TIME_MESSAGE } from './time.ts'
import type { Visibility } from './visibility.ts'

/** What a canceled delivery says of itself; the services name the member differently. */
export const cancelReason = Type.Unsafe<CancelReason | null>({
  type: ['string', 'null'],
  enum: [...CANCEL_REASONS, null],
  description:
    'Why it was canceled. Null: it was not canceled. `webhook_off`: its webhook was disabled or deleted. `expired`: it was still pending at the end of the retention; it is removed 7 days later.',
})

/** What {@link waitingFor} returns; the services name the member differently. */
export const waitingForSchema = Type.Unsafe<'sender' | null>({
  type: ['string', 'null'],
  enum: ['sender', null],
  description:
    'Why a due delivery waits. `sender`: the service cannot send because of a fault of its own; no failure counts against the webhook. Null otherwise.',
})

/** What keeps a delivery waiting that is due. */
export function waitingFor(
  { engine, clock }: Context,
  { status, nextAttemptAt, webhookId }: DeliveryRecord,
): 'sender' | null {
  if (status !== 'pending' || nextAttemptAt! > clock.now()) return null
  return engine.egress.allHeldSince !== null || engine.waitsForSender(webhookId) ? 'sender' : null
}

/** @throws Problem `not_found` */
export async function findDelivery(
  ctx: ServiceContext,
  workspace: Workspace,
  id: string,
): Promise<DeliveryRecord> {
  const deliveryId = ctx.engine.ids.parseDelivery(workspace, id)
  const delivery =
    deliveryId === null ? null : await ctx.storage.log.getDelivery({ workspaceId: workspace.id, deliveryId })
  if (delivery === null) throw notFound('delivery')
  return delivery
}

/** A span of time in a query string or body: from the first, to just before the second. */
export interface TimeSpan {
  readonly from: number | null
  readonly to: number | null
}

/**
 * @param names what the request calls the two times
 * @throws Problem that names what is no time, or a span that ends before it begins
 */
export function readSpan<const From extends string, const To extends string>(
  span: Readonly<Partial<Record<From | To, string>>>,
  where: string,
  names: readonly [From, To],
): TimeSpan {
  const read = (name: From | To): number | null => {
    const text = span[name]
    if (text === undefined) return null
    const time = parseTime(text)
    if (time === null) throw invalidRequest([{ pointer: `/${name}`, message: TIME_MESSAGE }], where)
    return time
  }
  const [from, to] = [read(names[0]), read(names[1])]
  if (from !== null && to !== null && from >= to) {
    throw invalidRequest([{ pointer: `/${names[1]}`, message: `must be later than ${names[0]}` }], where)
  }
  return { from, to }
}

export const FROM_TO = ['from', 'to'] as const

/** Query parameters that lists of deliveries have in common; the services name them differently. */
export const statusCodeQuery = Type.Optional(
  Type.String({
    pattern: FORMS.statusCodes.pattern,
    description:
      'Only deliveries whose latest attempt got this HTTP status code, such as `404`, or one in this class: `2xx` to `5xx`. `none`: the latest attempt got no response.',
    examples: ['5xx'],
  }),
)
export const eventIdQuery = Type.Optional(Type.String({ description: 'Only deliveries of this event.' }))
export const eventTypeQuery = Type.Optional(
  Type.String({
    description: 'Only deliveries of events of this type, or of one of up to 20 comma-separated types.',
  }),
)

interface SearchQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly from?: string
  readonly to?: string
}

/** What narrows a list of deliveries down; what is left out does not. */
export interface Filters {
  readonly webhookId: number | null
  /** Words, or the id of an event or a delivery. */
  readonly question?: string | undefined
  readonly status?: DeliveryStatus | undefined
  /** `null`: of any. */
  readonly eventTypes: readonly string[] | null
  readonly statusCode?: string | undefined
  /** Public id; one that names no event is that of no delivery. */
  readonly eventId?: string | undefined
}

/** @returns the filters as the store takes them; `null`: nothing can be found by them */
export async function readFilters(
  ctx: Asking,
  workspace: Workspace,
  visibility: Pick<Visibility, 'contents'>,
  filters: Filters,
) {
  const { webhookId, question, status = null, eventTypes, statusCode, eventId } = filters
  const event = eventId === undefined ? null : await eventOrNull(ctx, workspace, eventId)
  if (event === null && eventId !== undefined) return null
  const asked = question === undefined ? null : await readQuestion(ctx, workspace, visibility, question)
  const one = asked !== null && 'event' in asked ? asked.event : null
  if (one !== null && event !== null && one.id !== event.id) return null
  return {
    workspaceId: workspace.id,
    webhookId,
    status,
    eventTypes,
    statusCodes: statusCode === undefined ? null : parseStatusCodes(statusCode),
    event: event ?? one,
    deliveryId: asked !== null && 'deliveryId' in asked ? asked.deliveryId : null,
    text: asked !== null && 'text' in asked ? asked.text : null,
  }
}

/** Reads one page of deliveries, newest first, of one webhook or of all. */
export async function searchDeliveries(
  ctx: Context & Asking,
  { workspace, visibility }: Pick<Caller, 'workspace' | 'visibility'>,
  query: SearchQuery,
  filters: Filters,
): Promise<{
  readonly deliveries: readonly DeliveryRecord[]
  readonly nextCursor: string | null
  readonly reachesUntil: number | null
}> {
  const { webhookId, question } = filters
  const bound = question === undefined ? {} : { filters: JSON.stringify(filters) }
  const scope =
    webhookId === null
      ? { list: 'workspace deliveries' as const, ownerId: workspace.id, ...bound }
      : { list: 'deliveries' as const, ownerId: webhookId, ...bound }
  const span = readSpan(query, 'query string', FROM_TO)
  const position = query.cursor === undefined ? null : readCursor(ctx, scope, query.cursor)
  const before = position === null ? null : { createdAt: position[0]!, id: position[1]! }
  const filter = await readFilters(ctx, workspace, visibility, filters)
  if (filter === null) return { deliveries: [], nextCursor: null, reachesUntil: null }
  const search = { ...filter, ...span, limit: limitOf(query), before }
  const { deliveries, next, reachesUntil } = await ctx.storage.log.searchDeliveries(search)
  const nextCursor = next === null ? null : writeCursor(ctx, scope, [next.createdAt, next.id])
  return { deliveries, nextCursor, reachesUntil }
}

/** The problem of a delivery that is not in the state that it is sent from. */
export interface WrongStatus {
  readonly code: 'delivery_not_finished' | 'delivery_not_dead' | 'delivery_not_pending'
  /** Such as `Only pending deliveries can be retried`. */
  readonly rule: string
}

/**
 * Makes a test, a redelivery, a replay or a retry and answers 202 with the delivery.
 * @param wrongStatus `null` for a test, which makes a delivery of its own
 */
export async function sendManually(
  ctx: Context & Pick<ServiceContext, 'dialect'>,
  request: FastifyRequest,
  reply: FastifyReply,
  wrongStatus: WrongStatus | null,
  send: (by: By) => Promise<ManualSendResult>,
): Promise<DeliveryRecord> {
  const result = await changing(ctx, request, send)
  if (result.outcome === 'wrong_status') {
    const { code, rule } = wrongStatus!
    throw new Problem(code, `${rule}; this one is ${result.status}.`)
  }
  if (result.outcome !== 'accepted') throw refusedSend(ctx, request, result, 'delivery')
  reply.code(202).headers(rateLimitHeaders(ctx.dialect, result.limit))
  return result.delivery
}

/** Why something that a person asked for is not sent. @param what is not found */
export function refusedSend(
  ctx: Pick<ServiceContext, 'dialect'>,
  request: Pick<FastifyRequest, 'caller'>,
  refused: Exclude<RetryWebhookResult, { readonly outcome: 'accepted' }>,
  what: 'delivery' | 'webhook',
): Problem {
  switch (refused.outcome) {
    case 'not_found':
      return notFound(what)
    case 'webhook_not_on':
      return new Problem('webhook_not_on', notOnText(ctx.dialect.profile, request, refused.status))
    case 'rate_limited':
      return rateLimited(ctx, refused)
  }
}

/** A suspended workspace pauses all of its webhooks, and only the operator ends that. */
function notOnText(
  { words }: Pick<Profile, 'words'>,
  { caller }: Pick<FastifyRequest, 'caller'>,
  status: 'off' | 'paused',
): string {
  if (status === 'off') return `The ${words.webhook} is disabled. Enable it first.`
  const suspended = caller != null && caller.workspace.suspendedAt !== null
  return suspended
    ? 'The workspace is suspended. Ask the operator to resume it.'
    : `The ${words.webhook} is paused. Resume it first.`
}

function rateLimited(
  { dialect }: Pick<ServiceContext, 'dialect'>,
  { limit }: Extract<ManualSendResult, { outcome: 'rate_limited' }>,
): Problem {
  const seconds = Math.max(1, Math.ceil(limit.resetMs / 1000))
  const detail = `${manualSendsText(dialect.profile)} of the workspace share one limit, which is used up. Retry in ${seconds} s.`
  const headers = { 'retry-after': String(seconds), ...rateLimitHeaders(dialect, limit) }
  return new Problem('rate_limited', detail, { headers })
}
