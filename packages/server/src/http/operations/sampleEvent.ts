import { Type } from 'typebox'
import { typeOf } from '../../core/catalog.ts'
import { unknownType } from '../shared/eventTypes.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { samplesOf } from '../shared/samples.ts'
import { closed, eventTypeName, oneOf } from '../shared/schemas.ts'
import { eventViewOf } from './event.ts'
import { operation } from './operation.ts'
import { serviceTitle } from './words.ts'

export const sampleEvent = operation<{ query: { readonly event: string } }>({
  name: 'sampleEvent',
  method: 'GET',
  path: (layout) => (layout === 'workspace' ? '/webhooks/sample' : null),
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  hasOpenMembers: true,
  schema(service) {
    const { profile, testEvent } = service
    const { contents } = profile.access
    return {
      operationId: `sample${serviceTitle(profile)}Event`,
      tags: ['Webhooks'],
      summary: 'Sample bodies of an event type',
      description: [
        "The workspace's latest events of the type, or one generated example if there are none.",
        ...(contents === null ? [] : [`Keys without the scope \`${contents}\` get the generated example.`]),
        ...(testEvent === null ? [] : [`\`${testEvent.type}\` has a sample too.`]),
      ].join(' '),
      querystring: closed({ event: eventTypeName }),
      response: {
        200: closed({
          event: eventTypeName,
          source: oneOf(['real', 'example'], 'Whether the samples are real events.'),
          samples: Type.Array(eventViewOf(service).bodySchema(), {
            description: 'Newest first, at most three.',
          }),
        }),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const { event } = query
    const { catalog } = ctx.dialect
    const entry = typeOf(catalog, event)
    if (entry === undefined) throw unknownType(catalog, event, 'event')
    const { real, bodies } = await samplesOf(ctx, caller, entry)
    const source = real.length === 0 ? 'example' : 'real'
    return { event, source, samples: bodies.map((body): unknown => JSON.parse(body)) }
  },
})
