import { Type } from 'typebox'
import { SECOND_MS } from '../../../core/duration.ts'
import type { Consumer } from '../../../storage/rows.ts'
import { type EventPosition, type FeedEvent, isAhead } from '../../../storage/storage.ts'
import type { Caller } from '../../shared/caller.ts'
import { findConsumer, gapOf, readEvents } from '../../shared/consumers/reading.ts'
import { writeToken } from '../../shared/consumers/tokens.ts'
import type { ServiceContext } from '../../shared/context.ts'
import { limitOf, limitQuery } from '../../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { closed, nullable } from '../../shared/schemas.ts'
import { type Call, operation } from '../operation.ts'
import { contentsNeed } from '../texts.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { consumedJson } from './consumed.ts'
import { consumedSchema, consumerParams, gapJson, gapSchema } from './consumer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How long the client was made to wait because it asked for it, in ms. */
    waitedMs: number
  }
}

const MAX_WAIT_S = 30

interface ReadQuery {
  readonly limit?: number
  readonly wait?: number
}

export const readConsumer = operation<{ query: ReadQuery }>({
  name: 'readConsumer',
  method: 'GET',
  path: () => '/consumers/:name/events',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  hasOpenMembers: true,
  schema(service) {
    const { profile } = service
    return {
      operationId: `read${serviceTitle(profile)}Consumer`,
      tags: ['Consumers'],
      summary: 'Read the next events of a consumer',
      description: `The events after the last acknowledged one, in the order of the feed. Reading does not acknowledge events: all readers get these events until they are acknowledged. With \`wait\`, the request waits until there is an event. A page of large events ends after 1 MiB and has fewer than \`limit\`. Needs ${scopesText(profile.access.read)}${contentsNeed(profile)}.`,
      params: consumerParams,
      querystring: closed({
        limit: limitQuery,
        wait: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_WAIT_S,
            description: `Seconds to wait if there is no event, at most ${MAX_WAIT_S}. Default: 0.`,
          }),
        ),
      }),
      response: {
        200: closed(
          {
            events: Type.Array(consumedSchema(service), { description: 'In the order of the feed.' }),
            ack: nullable(
              Type.String({
                description:
                  'Send it to acknowledge all of `events`, and the gap. Null: there is nothing to acknowledge.',
              }),
            ),
            gap: gapSchema,
            has_more: Type.Boolean({ description: 'Whether there are more events already.' }),
          },
          { title: 'ConsumedEvents' },
        ),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request', 'too_many_readers', 'readers_taken'),
      },
    }
  },
  async run(call) {
    const { ctx, caller, params, query, request } = call
    const waitMs = request.method === 'HEAD' ? 0 : (query.wait ?? 0) * SECOND_MS
    const until = ctx.clock.monotonic() + waitMs
    const limit = limitOf(query)
    let consumer = await findConsumer(ctx, caller.workspace, params.name!)
    let place = consumer.position
    let head = place
    while (true) {
      const { events, reached, more } = await readEvents(ctx, consumer, place, { limit })
      if (events.length > 0) return answer(ctx, caller, consumer, events, more)
      // What it was woken for may have been removed since.
      place = isAhead(head, reached) ? head : reached
      await ctx.consumerSkips.skip(consumer, place, more)
      const leftMs = until - ctx.clock.monotonic()
      if (gapOf(consumer) > 0 || leftMs <= 0) return answer(ctx, caller, consumer, [], more)
      if (more) continue
      const woken = await waitFor(call, consumer, place, leftMs)
      if (woken === null || !(await call.isAuthorized())) return answer(ctx, caller, consumer, [], false)
      head = woken
      // It may have been acknowledged, moved or deleted meanwhile.
      const now = await findConsumer(ctx, caller.workspace, params.name!)
      const isSame = now.id === consumer.id && now.generation === consumer.generation
      place = isSame && isAhead(place, now.position) ? place : now.position
      consumer = now
    }
  },
})

async function waitFor(
  { ctx, request, reply: { raw } }: Pick<Call, 'ctx' | 'request' | 'reply'>,
  { id: consumerId, workspaceId, eventTypes }: Consumer,
  place: EventPosition,
  leftMs: number,
): Promise<EventPosition | null> {
  const onClosed = (listener: () => void) => {
    raw.once('close', listener)
    return () => raw.off('close', listener)
  }
  // A client that went earlier closes nothing any more.
  if (raw.destroyed) return null
  const since = ctx.clock.monotonic()
  try {
    return await ctx.consumerReaders.wait({ consumerId, workspaceId, eventTypes, place }, leftMs, onClosed)
  } finally {
    request.waitedMs += ctx.clock.monotonic() - since
  }
}

function answer(
  ctx: ServiceContext,
  caller: Caller,
  consumer: Consumer,
  events: readonly FeedEvent[],
  more: boolean,
): object {
  ctx.consumerReaders.observer.handedOut('request', events.length)
  const last = events.at(-1)?.position ?? consumer.position
  const hasSomething = events.length > 0 || gapOf(consumer) > 0
  return {
    events: events.map((event) => consumedJson(ctx, caller, consumer, event)),
    ack: hasSomething ? writeToken(ctx, consumer, last) : null,
    gap: gapJson(consumer),
    has_more: more,
  }
}
