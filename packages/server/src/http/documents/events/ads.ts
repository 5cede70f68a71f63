import { SCHEMES } from '@posthorn/receiver/schemes'
import type { EventType, JsonSchema } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import { adsProfile } from '../../../profiles/builtIn.ts'
import { EXAMPLE_ID, exampleMembers } from '../../../profiles/compile.ts'
import { type EventService, nameOf, SAMPLE_TIME, sentTime } from './service.ts'
import { signedSample } from './signed.ts'

const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description })

const { headers } = SCHEMES.service
const exampleEntity = ({ type }: EventType) =>
  exampleMembers(adsProfile, type) as { readonly entityType: string; readonly entityId: string }
const WORKSPACE = { publicId: '0191d2b4-3e6f-7a80-9c15-b2d4f6081a3c', slug: 'spokewell', name: 'Spokewell' }

export const adsEvents: EventService = {
  name: 'ads',
  title: 'Advertising platform service',
  data: { member: 'payload', suffix: 'Payload' },
  published: 'DomainEventToPublish',
  publishedMembers: (type) => ({
    entityType: { const: exampleEntity(type).entityType, examples: [exampleEntity(type).entityType] },
    occurredAt: { format: 'date-time', pattern: FORMS.instant.pattern },
    id: { format: 'uuid', maxLength: 36 },
  }),
  publishedExample: (type) => ({ type: type.type, ...exampleEntity(type), payload: type.example }),
  envelope: (type, data) => ({
    type: 'object',
    title: `${nameOf(type)}Event`,
    description: type.description,
    additionalProperties: false,
    properties: {
      id: uuid('The id of the event; the same in every attempt and replay.'),
      type: { type: 'string', const: type.type },
      entityType: { type: 'string', const: exampleEntity(type).entityType },
      entityId: uuid('Which one the event is about.'),
      workspaceId: uuid('The workspace that the event belongs to.'),
      payload: data(),
      occurredAt: sentTime('When it happened.'),
    },
    required: ['id', 'type', 'entityType', 'entityId', 'workspaceId', 'payload', 'occurredAt'],
  }),
  headers: [
    { name: headers.event, description: 'The type of the event.', schema: { type: 'string' } },
    {
      name: headers.delivery,
      description: 'The id of the delivery: the same in every attempt.',
      schema: { type: 'string', format: 'uuid' },
    },
    {
      name: headers.signature,
      description: 'The signature of the body.',
      schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    },
  ],
  sample: (dialect, type) =>
    signedSample(dialect, type, {
      eventId: dialect.ids.event.format(EXAMPLE_ID),
      deliveryId: '0199703b-a902-7e44-8d37-6a1c05f9b3d2',
      body: dialect.exampleBody({ type, workspace: WORKSPACE, occurredAt: SAMPLE_TIME }),
    }),
}
