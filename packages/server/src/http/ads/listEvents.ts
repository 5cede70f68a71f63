import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { feedCursor, feedQuery, hasMore, readFeed } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, eventTypeName } from '../shared/schemas.ts'
import { EventSchema, eventJson } from './event.ts'

const schema = {
  operationId: 'listAdsEvents',
  tags: ['Events'],
  summary: "Read the workspace's events",
  description:
    'All events that are kept, for 30 days unless the operator chose another time, in the order in which they were accepted, oldest first, whether a webhook received them or not: the way to catch up after an endpoint was off. Send the `nextCursor` of one page, or the id of the last event that you have, as `after`. An event that is accepted later always comes later, so none is missed. Tests are left out. Needs the scope `webhooks`.',
  querystring: closed({ type: Type.Optional(eventTypeName), ...feedQuery }),
  response: {
    200: closed(
      {
        data: Type.Array(EventSchema, { description: 'In the order in which they were accepted.' }),
        nextCursor: feedCursor,
        hasMore,
      },
      { title: 'DomainEventPage' },
    ),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listEvents: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/events',
    {
      schema,
      onRequest: guard(ctx, {
        dialect: 'ads',
        scopes: ['webhooks'],
        members: 'all',
      }),
    },
    async (request) => {
      const { workspace } = callerOf(request)
      checkTypeQuery(ctx.dialect.catalog, request.query.type, 'type')
      const { events, cursor, more } = await readFeed(ctx, workspace, request.query, request.query.type)
      return {
        data: events.map((event) => eventJson(event)),
        nextCursor: cursor,
        hasMore: more,
      }
    },
  )
}
