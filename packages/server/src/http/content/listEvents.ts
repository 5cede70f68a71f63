import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { feedCursor, feedQuery, hasMore, readFeed } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, eventTypeName } from '../shared/schemas.ts'
import { workspaceParams } from './common.ts'
import { EventSchema, eventJson } from './event.ts'

const schema = {
  operationId: 'listContentEvents',
  tags: ['Events'],
  summary: "Read the workspace's events",
  description:
    'All events that are kept, for 30 days unless the operator chose another time, in the order in which they were accepted, oldest first, whether a webhook received them or not: the way to catch up after an endpoint was off. Send the `next_cursor` of one page, or the id of the last event that you have, as `after`. An event that is accepted later always comes later, so none is missed. Tests are left out. Needs the scope `webhooks`; `data` is shown to keys that have `generations:read` too.',
  params: workspaceParams,
  querystring: closed({ type: Type.Optional(eventTypeName), ...feedQuery }),
  response: {
    200: closed(
      {
        data: Type.Array(EventSchema, { description: 'In the order in which they were accepted.' }),
        next_cursor: feedCursor,
        has_more: hasMore,
      },
      { title: 'EventPage' },
    ),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listEvents: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/events',
    {
      schema,
      onRequest: guard(ctx, {
        dialect: 'content',
        scopes: ['webhooks'],
        members: 'all',
      }),
    },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      checkTypeQuery(ctx.dialect.catalog, request.query.type, 'type')
      const { events, cursor, more } = await readFeed(ctx, workspace, request.query, request.query.type)
      return {
        data: events.map((event) => eventJson(ctx, caller, event)),
        next_cursor: cursor,
        has_more: more,
      }
    },
  )
}
