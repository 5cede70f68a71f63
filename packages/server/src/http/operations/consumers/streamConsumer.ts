import { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { FORMS } from '../../../core/textForms.ts'
import type { Consumer } from '../../../storage/rows.ts'
import { type EventPosition, isAhead } from '../../../storage/storage.ts'
import { callerOf } from '../../shared/auth.ts'
import { findConsumer, readEvents } from '../../shared/consumers/reading.ts'
import { ConsumerStream, STREAM_PAGE, type StreamSource } from '../../shared/consumers/stream.ts'
import { readToken, writeToken } from '../../shared/consumers/tokens.ts'
import type { ServiceContext } from '../../shared/context.ts'
import { EVENT_STREAM } from '../../shared/live/eventStream.ts'
import { KEY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { spellingOf } from '../case.ts'
import { type Call, operation } from '../operation.ts'
import { contentsNeed } from '../texts.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { consumedJson } from './consumed.ts'
import { consumedSchema, consumedWriter, consumerParams, gapJson, gapSchema } from './consumer.ts'

const LAST_EVENT_ID = 'last-event-id'

export const streamConsumer = operation({
  name: 'streamConsumer',
  method: 'GET',
  path: () => '/consumers/:name/stream',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { profile } = service
    const { schema } = spellingOf(profile.case)
    const message = {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Acknowledges this event and all before it.' },
        event: {
          type: 'string',
          enum: ['message', 'gap'],
          description:
            '`gap` if events were removed before they were read. For events, this line is missing, which means `message`.',
        },
        data: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: { anyOf: [schema(consumedSchema(service)), schema(gapSchema)] },
        },
        retry: {
          type: 'integer',
          description: 'Milliseconds to wait before connecting again. Sent first, and without data.',
        },
      },
    }
    const stream: object = {
      description: 'A stream of events, each of which is described.',
      content: { [EVENT_STREAM]: { schema: message } },
    }
    return {
      operationId: `stream${serviceTitle(profile)}Consumer`,
      tags: ['Consumers'],
      summary: 'Stream the events of a consumer',
      description: `Server-sent events: first the unacknowledged events, then each event when it is accepted. Acknowledge each by its \`id\`, with \`POST …/ack\`. With \`Last-Event-ID\`, a stream continues after that event, without acknowledging it. Without the header, it starts after the last acknowledged event. Other lines keep the connection alive. The stream ends when the consumer is moved or deleted, when the credential no longer works, when the client does not read for half a minute, when the node stops, and every ten minutes: connect again. Needs ${scopesText(profile.access.read)}${contentsNeed(profile)}.`,
      params: consumerParams,
      headers: Type.Object({
        [LAST_EVENT_ID]: Type.Optional(
          Type.String({
            description:
              'The id of the last event that the client received. An id from before a seek is ignored.',
          }),
        ),
      }),
      response: {
        200: stream as TSchema,
        ...problemResponses(...KEY_PROBLEMS, 'too_many_readers', 'readers_taken'),
      },
    }
  },
  async run(call) {
    const { ctx, caller, params, request, reply } = call
    const consumer = await findConsumer(ctx, caller.workspace, params.name!)
    reply.headers({ 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no', connection: 'close' })
    if (request.method === 'HEAD') return Readable.from([])
    const from = placeOf(ctx, consumer, request.headers[LAST_EVENT_ID])
    const way = { response: reply.raw, clock: ctx.clock }
    return new ConsumerStream(ctx.consumerReaders, sourceOf(call, consumer.name), { consumer, from }, way).out
      .body
  },
})

/** Behind the last event that the client got, where it is known and further than what was acknowledged. */
function placeOf(ctx: ServiceContext, consumer: Consumer, lastId: unknown): EventPosition {
  const { generation, position } = consumer
  const token = typeof lastId === 'string' && LAST_ID.test(lastId) ? readToken(ctx, consumer, lastId) : null
  const isLater = token !== null && token.generation === generation && isAhead(token.position, position)
  return isLater ? token.position : position
}

const LAST_ID = new RegExp(FORMS.cursor.pattern)

function sourceOf({ ctx, request, isAuthorized }: Call, name: string): StreamSource {
  const write = consumedWriter(ctx.dialect)
  const writeGap = spellingOf(ctx.dialect.profile.case).writer(gapSchema)
  // The guard replaces the caller at each check.
  const caller = () => callerOf(request)
  return {
    read: (consumer, after) => readEvents(ctx, consumer, after, STREAM_PAGE),
    reread: () => ctx.storage.consumers.getConsumer({ workspaceId: caller().workspace.id, name }),
    isAuthorized,
    token: (consumer, position) => writeToken(ctx, consumer, position),
    eventText: (consumer, event) => JSON.stringify(write(consumedJson(ctx, caller(), consumer, event))),
    gapText: (consumer) => JSON.stringify(writeGap(gapJson(consumer))),
    passedOver: (consumer, to, more) => ctx.consumerSkips.skip(consumer, to, more),
    onError: (error) => {
      const reason = error instanceof Error ? error.message : String(error)
      ctx.logger.warn({ request_id: request.id, reason }, 'events of a stream could not be read')
    },
  }
}
