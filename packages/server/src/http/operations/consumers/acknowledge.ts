import { Type } from 'typebox'
import { FORMS } from '../../../core/textForms.ts'
import { changeInStore, idempotencyHeaders } from '../../shared/changes.ts'
import { findConsumer } from '../../shared/consumers/reading.ts'
import { readToken } from '../../shared/consumers/tokens.ts'
import {
  CREATE_PROBLEMS,
  invalidRequest,
  KEY_PROBLEMS,
  notFound,
  Problem,
  problemResponses,
} from '../../shared/problems.ts'
import { closed } from '../../shared/schemas.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { consumerParams } from './consumer.ts'

export const acknowledge = operation<{ body: { readonly ack: string } }>({
  name: 'acknowledge',
  method: 'POST',
  path: () => '/consumers/:name/ack',
  access: ({ access }) => ({ scopes: access.read, members: 'owners' }),
  schema: ({ profile }) => ({
    operationId: `acknowledge${serviceTitle(profile)}Events`,
    tags: ['Consumers'],
    summary: 'Acknowledge events',
    description: `Acknowledges an event and all events before it: they are not returned again. Acknowledge events after you have processed them. Repeated or late acknowledgements change nothing. Events that were read before a seek cannot be acknowledged: the response is 409, and the next read starts at the new position. Needs ${scopesText(profile.access.read)}, or a signed-in owner.`,
    params: consumerParams,
    headers: idempotencyHeaders,
    body: closed({
      ack: Type.String({
        description: 'The `ack` of an event or of a page of events, or the id of an event of a stream.',
        pattern: FORMS.cursor.pattern,
      }),
    }),
    response: {
      200: closed(
        {
          moved: Type.Boolean({
            description: 'Whether the consumer moved. False: everything was already acknowledged.',
          }),
        },
        { title: 'Acknowledgement' },
      ),
      ...problemResponses(...KEY_PROBLEMS, ...CREATE_PROBLEMS, 'role_missing', 'acknowledgement_outdated'),
    },
  }),
  async run({ ctx, caller: { workspace }, request, params, body }) {
    const consumer = await findConsumer(ctx, workspace, params.name!)
    const token = readToken(ctx, consumer, body.ack)
    if (token === null) {
      const message = 'does not belong to an event of this consumer; send the unchanged "ack" of an event'
      throw invalidRequest([{ pointer: '/ack', message }])
    }
    const read = { workspaceId: workspace.id, consumerId: consumer.id, ...token, now: ctx.clock.now() }
    const { result } = await changeInStore(ctx, request, { call: 'acknowledge', params: read }, null)
    if (result.outcome === 'not_found') throw notFound('consumer')
    const { observer } = ctx.consumerReaders
    if (result.outcome === 'outdated') {
      observer.acknowledged('outdated')
      const detail =
        'A seek moved the consumer after these events were read. Read again, and acknowledge the events that you get then.'
      throw new Problem('acknowledgement_outdated', detail)
    }
    observer.acknowledged(result.moved ? 'moved' : 'unchanged')
    return { moved: result.moved }
  },
})
