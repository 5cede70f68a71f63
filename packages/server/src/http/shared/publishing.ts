import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { EventToPublish, PublishedEvent } from '../../engine/engine.ts'
import type { PublishTrace } from '../../engine/log/tracing.ts'
import type { Workspace } from '../../storage/rows.ts'
import { callerOf } from './auth.ts'
import { EVENT_LIMIT_BYTES } from './bodies/limits.ts'
import type { Caller } from './caller.ts'
import { fingerprintOf, jsonExceeds } from './canonical.ts'
import { changing } from './changes.ts'
import type { ServiceContext } from './context.ts'
import { eventTypeMistake } from './eventTypes.ts'
import { invalidRequest, Problem } from './problems.ts'
import { quotaProblem } from './quotas.ts'
import { closed } from './schemas.ts'
import { parseTime, TIME_MESSAGE } from './time.ts'
import { bodyValidator, bodyValidatorOf, Mistakes, membersOf } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a request that publishes; `null`: it belongs to no trace. */
    trace: PublishTrace | null
  }
}

export const MAX_BATCH_EVENTS = 1000

export const TRACE_DESCRIPTION =
  'If the operator collects traces, a `traceparent` header (W3C Trace Context) is continued, and receivers get one too.'

export const PublishedSchema = closed(
  {
    id: Type.String({ description: 'The id of the event, the same in all its requests.' }),
    repeated: Type.Boolean({
      description: 'Whether this event was already published. If true, nothing is sent again.',
    }),
  },
  { title: 'PublishedEvent' },
)

export const PublishedBatchSchema = closed(
  {
    events: Type.Array(PublishedSchema, { description: 'One for each published event, in the same order.' }),
  },
  { title: 'PublishedEvents' },
)

/** What every dialect's event comes to, once checked. */
export interface CheckedEvent {
  /** Unix ms; `null`: when it is accepted. */
  readonly occurredAt: number | null
  readonly broughtId: string | null
}

/** Refuses a publisher whose workspace has used up a quota. @throws Problem `quota_exceeded` */
export function checkPublishQuota({ engine }: ServiceContext, { workspace }: Caller): void {
  const exceeded = engine.quotaExceeded(workspace)
  if (exceeded !== null) throw quotaProblem(exceeded)
}

/**
 * Checks what the schema of the body cannot: type, data, time and id of one event.
 * @param at pointer of the event in the request
 */
export function checkEvent(
  ctx: ServiceContext,
  event: Readonly<Record<string, unknown>>,
  at: string,
  mistakes: Mistakes,
): CheckedEvent {
  const members = ctx.dialect.events
  const { type, id } = event
  const time = event[members.time]
  if (typeof type === 'string') checkData(ctx, type, event[members.data], at, mistakes)
  if (typeof type === 'string') checkFixedMembers(ctx, type, event, at, mistakes)
  const occurredAt = typeof time === 'string' ? parseTime(time) : null
  if (typeof time === 'string' && occurredAt === null) mistakes.add(`${at}/${members.time}`, TIME_MESSAGE)
  const broughtId = typeof id === 'string' ? ctx.dialect.ids.broughtEventId(id) : null
  if (typeof id === 'string' && broughtId === null) {
    mistakes.add(
      `${at}/id`,
      `must be ${ctx.dialect.ids.broughtEventIdForm}; or remove it, and the service creates an id`,
    )
  }
  return { occurredAt, broughtId }
}

/** A profile may fix what a member is in all events of a type. */
function checkFixedMembers(
  { dialect }: ServiceContext,
  type: string,
  event: Readonly<Record<string, unknown>>,
  at: string,
  mistakes: Mistakes,
): void {
  const fixed = dialect.catalog.get(type)?.members
  if (fixed === undefined) return
  for (const name of Object.keys(fixed)) {
    const { [name]: expected } = fixed
    const { [name]: given } = event
    if (typeof given === typeof expected && given !== expected)
      mistakes.add(`${at}/${name}`, `must be ${expected} for events of the type ${type}`)
  }
}

function checkData(ctx: ServiceContext, type: string, data: unknown, at: string, mistakes: Mistakes): void {
  const mistake = eventTypeMistake(ctx.dialect.catalog, type, ctx.dialect.profile.name)
  if (mistake !== null) {
    mistakes.add(`${at}/type`, mistake)
    return
  }
  if (data === undefined) return
  const dataAt = `${at}/${ctx.dialect.events.data}`
  const errors = ctx.eventSchemas.errorsOf(type, data, dataAt)
  mistakes.addAll(errors)
  if (errors.length > 0) return
  // The schema of a type may be open.
  const given = membersOf(data)
  for (const name of ctx.dialect.envelope.reserved) {
    if (Object.hasOwn(given, name))
      mistakes.add(
        `${dataAt}/${name}`,
        'is a name that the service itself uses for another member; use another name',
      )
  }
}

/**
 * Refuses a batch of too many events before its schema looks at them: it collects every mistake, and millions of them,
 * which fit into a body, would stall all that this process does for seconds.
 */
export function refuseEndlessBatch(request: FastifyRequest): void {
  const { events } = membersOf(request.body)
  if (!Array.isArray(events) || events.length <= MAX_BATCH_EVENTS) return
  const message = `must have at most ${MAX_BATCH_EVENTS} items`
  throw invalidRequest([{ pointer: '/events', message }])
}

/** A batch without what its events have to be. */
const BATCH = bodyValidator(
  closed({ events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MAX_BATCH_EVENTS }) }),
)

/** Turns a checked event into what the engine takes. */
export function prepareEvent(
  { dialect: { envelope, events } }: ServiceContext,
  workspace: Workspace,
  body: Readonly<Record<string, unknown>>,
  { occurredAt, broughtId }: CheckedEvent,
): EventToPublish {
  const event = events.eventOf(body)
  return {
    type: event.type,
    broughtId,
    // Without an id there is nothing to compare with, so the work is saved.
    fingerprint: broughtId === null ? null : fingerprintOf(events.identityOf(event, occurredAt)),
    // Written now, event by event: once ids are taken, nothing may pause.
    compose: envelope.prepare(event, workspace, occurredAt),
  }
}

/**
 * Checks each event of a batch, in a large one with pauses.
 * @throws Problem that names every mistake in all events
 */
export async function prepareBatch(params: {
  readonly ctx: ServiceContext
  readonly request: FastifyRequest
  /** Of one event. */
  readonly schema: object
}): Promise<EventToPublish[]> {
  const { ctx, request, schema } = params
  const { slice } = request
  const { workspace } = callerOf(request)
  const fits = bodyValidatorOf(ctx.dialect)(schema)
  const mistakes = new Mistakes(request)
  mistakes.check(BATCH, request.body, '')
  const { events } = membersOf(request.body)
  const checkable: readonly unknown[] = Array.isArray(events) ? events : []
  const mayBeTooLarge = !(Number(request.headers['content-length']) <= EVENT_LIMIT_BYTES)
  const prepared: EventToPublish[] = []
  for (let i = 0; i < checkable.length && !mistakes.enough; i++) {
    if (slice?.isOver) await slice.next()
    const event = checkable[i]
    const at = `/events/${i}`
    // Before its schema, which would look at each character of strings that are too long.
    if (mayBeTooLarge && jsonExceeds(event, EVENT_LIMIT_BYTES)) {
      mistakes.add(at, `is larger than ${EVENT_LIMIT_BYTES} bytes`)
      continue
    }
    mistakes.check(fits, event, at)
    const checked = checkEvent(ctx, membersOf(event), at, mistakes)
    if (mistakes.none) prepared.push(prepareEvent(ctx, workspace, membersOf(event), checked))
  }
  mistakes.throwIfAny()
  return prepared
}

function traceOf(
  { tracing, dialect }: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  events: number,
): PublishTrace | null {
  if (tracing === null) return null
  const { traceparent } = request.headers
  return tracing.publish({
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? '',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    elapsedMs: reply.elapsedTime,
    dialect: dialect.name,
    workspace: callerOf(request).workspace,
    events,
  })
}

/**
 * Publishes what was prepared.
 * @param pointerOf where the event at a position stands in the request
 */
export async function publishPrepared(
  ctx: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  events: EventToPublish[],
  pointerOf: (position: number) => string,
): Promise<readonly PublishedEvent[]> {
  const { workspace } = callerOf(request)
  const trace = traceOf(ctx, request, reply, events.length)
  request.trace = trace
  const result = await changing(ctx, request, ({ idempotency }) => {
    const publishing = ctx.engine.publish(workspace, events, idempotency, trace)
    // What the engine needs is in the list, which it empties once it has made rows of it.
    request.body = undefined
    return publishing
  })
  if (result.outcome === 'accepted') {
    ctx.consumerReaders.tails.published(workspace.id)
    if (ctx.trail.on)
      ctx.trail.published(
        request.id,
        workspace.publicId,
        result.events.map(({ id }) => id),
      )
    return result.events
  }
  if (result.outcome === 'quota_exceeded') throw quotaProblem(result)
  const pointer = `${pointerOf(result.event)}/id`
  throw new Problem(
    'event_id_conflict',
    'Another event already has this id. Nothing was published. Use a new id for a new event; a repeated event must equal the first one in every member.',
    { errors: [{ pointer, message: 'is already the id of another event' }] },
  )
}
