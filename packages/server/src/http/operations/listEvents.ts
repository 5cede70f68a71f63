import { type Static, Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import type { StoredEvent } from '../../storage/rows.ts'
import type { DeliveryCounts } from '../../storage/storage.ts'
import type { Caller } from '../shared/caller.ts'
import type { ServiceContext } from '../shared/context.ts'
import { FROM_TO, readSpan } from '../shared/deliveries.ts'
import { readTypes } from '../shared/eventTypes.ts'
import { feedCursor, feedQuery, hasMore, readFeed } from '../shared/feed.ts'
import { limitOf, readCursor, writeCursor } from '../shared/pages.ts'
import { invalidRequest, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, eventTypeName, oneOf, sinceQuery, time, untilQuery } from '../shared/schemas.ts'
import { questionQuery, reachJson, reachSchema, readQuestion } from '../shared/search.ts'
import { isoTime } from '../shared/time.ts'
import { spellingOf } from './case.ts'
import { eventViewOf } from './event.ts'
import { operation } from './operation.ts'
import { contentsNeed } from './texts.ts'
import { eventTitle, receiverWords, scopesText, serviceTitle } from './words.ts'

const ORDERS = ['oldest', 'newest'] as const

interface EventsQuery {
  readonly order?: (typeof ORDERS)[number]
  readonly q?: string
  readonly type?: string
  readonly from?: string
  readonly to?: string
  readonly limit?: number
  readonly after?: string
}

const typesQuery = Type.Optional(
  Type.String({
    pattern: FORMS.eventTypeNames.pattern,
    description: 'Only events of this type, or of one of up to 20 comma-separated types.',
  }),
)

const summarySchema = closed(
  {
    id: Type.String({ description: 'Id of the event.' }),
    type: eventTypeName,
    accepted_at: time('When it was accepted.'),
    deliveries: Type.Unsafe<DeliveryCountsJson | null>({
      type: ['object', 'null'],
      description: 'The results of its deliveries; null: the workspace has too many webhooks to count them.',
      additionalProperties: false,
      required: ['total', 'pending', 'delivered', 'failed', 'canceled'],
      properties: {
        total: Type.Integer({ description: 'All deliveries. 0: no webhook subscribed to it.' }),
        pending: Type.Integer(),
        delivered: Type.Integer(),
        failed: Type.Integer({ description: 'Failed after the last attempt.' }),
        canceled: Type.Integer(),
      },
    }),
  },
  { title: 'EventSummary' },
)

type DeliveryCountsJson = DeliveryCounts & { readonly total: number }

const countsJson = (counts: DeliveryCounts | null): DeliveryCountsJson | null => {
  if (counts === null) return null
  const { pending, delivered, failed, canceled } = counts
  return { total: pending + delivered + failed + canceled, pending, delivered, failed, canceled }
}

export const listEvents = operation<{ query: EventsQuery }>({
  name: 'listEvents',
  method: 'GET',
  path: () => '/events',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  hasOpenMembers: true,
  schema(service) {
    const { profile } = service
    const { member } = spellingOf(profile.case)
    const { a } = receiverWords(profile)
    return {
      operationId: `list${serviceTitle(profile)}Events`,
      tags: ['Events'],
      summary: "Read the workspace's events",
      description: `All events, whether ${a} received them or not. They are kept for 30 days, unless the operator set another time. Tests are not included. By default, the oldest come first, in the order in which they were accepted. Use this order to catch up after your endpoint was down. Send the \`${member('next_cursor')}\` of one page, or the id of the last event that you have, as \`after\`. Events that are accepted later always come later in this order, so you do not miss any. A page of large events ends after 1 MiB and has fewer than \`limit\`. With \`order=newest\`, or with \`q\`, \`from\` or \`to\`, the newest come first, with counts of their deliveries, and the cursor continues with older events. Use it with the same filters. Needs ${scopesText(profile.access.read)}${contentsNeed(profile)}.`,
      querystring: closed({
        order: Type.Optional(oneOf(ORDERS, 'The order. Default: `oldest`, or `newest` for a search.')),
        q: questionQuery(profile.access.contents),
        type: typesQuery,
        from: sinceQuery,
        to: untilQuery,
        ...feedQuery,
      }),
      response: {
        200: closed(
          {
            data: Type.Array(eventViewOf(service).schema(), {
              description: 'In the order in which they were accepted, or newest first.',
            }),
            summaries: Type.Unsafe<readonly Static<typeof summarySchema>[] | null>({
              type: ['array', 'null'],
              items: summarySchema,
              description: 'One for each of `data`, in the same order; null with the order `oldest`.',
            }),
            next_cursor: feedCursor,
            has_more: hasMore,
            indexed_until: reachSchema,
          },
          { title: `${eventTitle(profile)}Page` },
        ),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const types = readTypes(ctx.dialect.catalog, query.type, 'type')
    const isSearched = query.q !== undefined || query.from !== undefined || query.to !== undefined
    if (isSearched && query.order === 'oldest') {
      const message = 'must be newest if q, from or to is given; change it, or remove it'
      throw invalidRequest([{ pointer: '/order', message }], 'query string')
    }
    if (isSearched || query.order === 'newest') return search(ctx, caller, query, types)
    const { events, cursor, more } = await readFeed(ctx, caller.workspace, query, types)
    return {
      data: shown(ctx, caller, events),
      summaries: null,
      next_cursor: cursor,
      has_more: more,
      indexed_until: null,
    }
  },
})

function shown(ctx: ServiceContext, caller: Caller, events: readonly StoredEvent[]): readonly object[] {
  const view = eventViewOf(ctx.dialect)
  return events.map((event) => view.json(ctx, caller, event))
}

const NOTHING = { data: [], summaries: [], next_cursor: null, has_more: false, indexed_until: null }

async function search(
  ctx: ServiceContext,
  caller: Caller,
  query: EventsQuery,
  eventTypes: readonly string[] | null,
) {
  const { workspace, visibility } = caller
  const span = readSpan(query, 'query string', FROM_TO)
  const filters = JSON.stringify([query.q ?? null, eventTypes, span])
  const scope = { list: 'event search' as const, ownerId: workspace.id, filters }
  const position = query.after === undefined ? null : readCursor(ctx, scope, query.after, 'after')
  const asked = query.q === undefined ? null : await readQuestion(ctx, workspace, visibility, query.q)
  const event = asked === null || 'text' in asked ? null : await eventOf(ctx, workspace.id, asked)
  if (event !== null && eventTypes !== null && !eventTypes.includes(event.type)) return NOTHING
  const { events, counts, next, reachesUntil } = await ctx.storage.log.searchEvents({
    workspaceId: workspace.id,
    eventTypes,
    text: asked !== null && 'text' in asked ? asked.text : null,
    event,
    ...span,
    limit: limitOf(query),
    before: position === null ? null : { createdAt: position[0]!, id: position[1]! },
  })
  return {
    data: shown(ctx, caller, events),
    summaries: events.map((event, position) => ({
      id: ctx.engine.ids.event(workspace, event),
      type: event.type,
      accepted_at: isoTime(event.createdAt),
      deliveries: countsJson(counts[position]!),
    })),
    next_cursor: next === null ? null : writeCursor(ctx, scope, [next.createdAt, next.id]),
    has_more: next !== null,
    indexed_until: reachJson(reachesUntil),
  }
}

/** The event that is asked for, or that of the delivery. */
async function eventOf(
  { storage }: ServiceContext,
  workspaceId: number,
  asked: { readonly event: StoredEvent } | { readonly deliveryId: number },
): Promise<StoredEvent | null> {
  if ('event' in asked) return asked.event
  const { deliveryId } = asked
  const delivery = await storage.log.getDelivery({ workspaceId, deliveryId })
  if (delivery === null) return null
  return storage.log.getEvent({ workspaceId, broughtId: null, rowId: delivery.eventId })
}
