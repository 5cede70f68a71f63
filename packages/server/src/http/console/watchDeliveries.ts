import { Type } from 'typebox'
import { DELIVERY_STATUSES } from '../../core/delivery.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { DeliveryRecord } from '../../storage/rows.ts'
import { ANY_MEMBER, callerOf, guard, isStillAuthorized } from '../shared/auth.ts'
import type { Caller } from '../shared/caller.ts'
import type { Route } from '../shared/context.ts'
import {
  eventIdQuery,
  eventTypeQuery,
  type Filters,
  readFilters,
  statusCodeQuery,
} from '../shared/deliveries.ts'
import { readTypes } from '../shared/eventTypes.ts'
import { EVENT_STREAM } from '../shared/live/eventStream.ts'
import { type PollResult, WATCHED_DELIVERIES } from '../shared/live/shownDeliveries.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, oneOf, openObject, reference } from '../shared/schemas.ts'
import { type Asking, questionQuery } from '../shared/search.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { workspaceParams } from './params.ts'

const LiveDeliveriesSchema = closed(
  {
    deliveries: Type.Array(openObject("One as the service's own list of deliveries shows it."), {
      description: 'New and changed deliveries, newest first; at most 50.',
    }),
    more: Type.Boolean({
      description: 'Whether there are more new ones; the list of deliveries has them.',
    }),
  },
  { title: 'LiveDeliveries' },
)

/** One event of the stream, in the members of server-sent events; `data` is text, and JSON in it. */
const eventSchema = {
  type: 'object',
  properties: {
    event: { type: 'string', const: 'deliveries' },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: LiveDeliveriesSchema },
    retry: {
      type: 'integer',
      description: 'Milliseconds to wait before connecting again. Sent first, and without data.',
    },
  },
}

/** The type is hidden: otherwise the type provider would expect it as the handler's result, which is a stream. */
const stream: object = {
  200: {
    description: 'A stream of events, each of which is described.',
    content: { [EVENT_STREAM]: { schema: eventSchema } },
  },
}

const schema = {
  operationId: 'watchDeliveries',
  tags: ['Deliveries'],
  summary: 'Watch deliveries as they happen',
  description:
    'Server-sent events. Each is named `deliveries`, and its data is one JSON object. The first event has the newest 50 deliveries that match; later events have new and changed deliveries, at most once per second. Other lines keep the connection alive. The stream ends with the session, when the server stops, and every ten minutes: connect again. On one node, a session can have 5 streams at a time, a person 15 in a workspace, and a workspace 100.',
  params: workspaceParams,
  querystring: closed({
    webhook_id: Type.Optional(reference('Only deliveries of this webhook.')),
    status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries in this state.')),
    q: questionQuery(null),
    event_type: eventTypeQuery,
    status_code: statusCodeQuery,
    event_id: eventIdQuery,
  }),
  response: {
    ...stream,
    ...problemResponses(...ANY_MEMBER_PROBLEMS, 'invalid_request', 'too_many_streams', 'streams_taken'),
  },
}

export const watchDeliveries: Route = (app, ctx) => {
  const authorize = guard(ctx, ANY_MEMBER)
  app.get(
    '/console/v1/workspaces/:ws/deliveries/live',
    { schema, onRequest: authorize },
    async (request, reply) => {
      const { workspace, actor } = callerOf(request)
      const {
        q: question,
        event_type: types,
        status_code: statusCode,
        event_id: eventId,
        ...query
      } = request.query
      const dialect = dialectOf(ctx.dialects, workspace.dialect)
      const eventTypes = readTypes(dialect.catalog, types, 'event_type')
      const parameter = { name: 'webhook_id', where: 'query string' }
      const webhookId = await webhookIdOf({ ...ctx, dialect }, workspace, query.webhook_id, parameter)
      const filters = { webhookId, question, status: query.status, eventTypes, statusCode, eventId }
      reply.headers({ 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no', connection: 'close' })
      // An invalid search opens no stream.
      const { visibility } = callerOf(request)
      const asking = { ...ctx, dialect }
      await readFilters(asking, workspace, visibility, filters)
      if (request.method === 'HEAD') return reply.send()
      const viewer = {
        session: JSON.stringify(actor),
        person: JSON.stringify([workspace.id, actor.type, actor.id]),
        workspaceId: workspace.id,
        isAuthorized: () => isStillAuthorized(app, authorize, request, reply),
        listKey: JSON.stringify([workspace.id, filters]),
        read: () => lookAt(asking, callerOf(request), filters),
        // The guard replaces the caller at each check.
        toJson: (delivery: DeliveryRecord) => ctx.deliveryJson(callerOf(request), delivery),
      }
      return reply.send(ctx.liveStreams.open(viewer, reply.raw))
    },
  )
}

async function lookAt(
  ctx: Asking,
  { workspace, visibility }: Pick<Caller, 'workspace' | 'visibility'>,
  filters: Filters,
): Promise<PollResult> {
  const filter = await readFilters(ctx, workspace, visibility, filters)
  if (filter === null) return { deliveries: [], next: null }
  const newest = { from: null, to: null, limit: WATCHED_DELIVERIES + 1, before: null }
  return ctx.storage.log.searchDeliveries({ ...filter, ...newest })
}
