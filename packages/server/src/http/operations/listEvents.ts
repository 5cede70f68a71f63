import { Type } from 'typebox'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { feedCursor, feedQuery, hasMore, readFeed } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, eventTypeName } from '../shared/schemas.ts'
import { spellingOf } from './case.ts'
import { eventViewOf } from './event.ts'
import { operation } from './operation.ts'
import { contentsNeed } from './texts.ts'
import { eventTitle, scopesText, serviceTitle } from './words.ts'

interface FeedQuery {
  readonly type?: string
  readonly limit?: number
  readonly after?: string
}

export const listEvents = operation<{ query: FeedQuery }>({
  name: 'listEvents',
  method: 'GET',
  path: () => '/events',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  hasOpenMembers: true,
  schema(service) {
    const { profile } = service
    const { member } = spellingOf(profile.case)
    return {
      operationId: `list${serviceTitle(profile)}Events`,
      tags: ['Events'],
      summary: "Read the workspace's events",
      description: `All events that are kept, for 30 days unless the operator chose another time, in the order in which they were accepted, oldest first, whether a webhook received them or not: the way to catch up after an endpoint was off. Send the \`${member('next_cursor')}\` of one page, or the id of the last event that you have, as \`after\`. An event that is accepted later always comes later, so none is missed. Tests are left out. Needs ${scopesText(profile.access.read)}${contentsNeed(profile)}.`,
      querystring: closed({ type: Type.Optional(eventTypeName), ...feedQuery }),
      response: {
        200: closed(
          {
            data: Type.Array(eventViewOf(service).schema(), {
              description: 'In the order in which they were accepted.',
            }),
            next_cursor: feedCursor,
            has_more: hasMore,
          },
          { title: `${eventTitle(profile)}Page` },
        ),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const { type } = query
    checkTypeQuery(ctx.dialect.catalog, type, 'type')
    const { events, cursor, more } = await readFeed(ctx, caller.workspace, query, type)
    const view = eventViewOf(ctx.dialect)
    return {
      data: events.map((event) => view.json(ctx, caller, event)),
      next_cursor: cursor,
      has_more: more,
    }
  },
})
