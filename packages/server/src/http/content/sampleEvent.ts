import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { unknownType } from '../shared/eventTypes.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { samplesOf } from '../shared/samples.ts'
import { closed, eventTypeName, oneOf, openObject } from '../shared/schemas.ts'
import { workspaceParams } from './common.ts'

const EnvelopeSchema = Type.Object(
  { type: eventTypeName, timestamp: Type.String(), data: openObject('Fits the schema of the type.') },
  { title: 'ContentEnvelope', description: 'A request body as webhooks receive it.' },
)

const schema = {
  operationId: 'sampleContentEvent',
  tags: ['Webhooks'],
  summary: 'Sample bodies of an event type',
  description:
    "The workspace's latest events of the type, or one made-up example when there are none. Keys without the scope `generations:read` get the made-up example. `webhook.test` has a sample too.",
  params: workspaceParams,
  querystring: closed({ event: eventTypeName }),
  response: {
    200: closed({
      event: eventTypeName,
      source: oneOf(['real', 'example'], 'Whether the samples are events that happened.'),
      samples: Type.Array(EnvelopeSchema, { description: 'Newest first, at most three.' }),
    }),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const sampleEvent: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/sample',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { event } = request.query
      const { catalog } = ctx.dialect
      const entry = catalog.get(event)
      if (entry === undefined) throw unknownType(catalog, event, 'event')
      const { real, bodies } = await samplesOf(ctx, caller, entry)
      const source = real.length === 0 ? ('example' as const) : ('real' as const)
      return { event, source, samples: bodies.map((body) => JSON.parse(body)) }
    },
  )
}
