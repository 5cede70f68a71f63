import { SCHEMES } from '@posthorn/receiver/schemes'
import type { EventType, JsonSchema } from '../../../core/catalog.ts'
import { adsCatalog } from '../../../dialects/ads/catalog/index.ts'
import { ids } from '../../../dialects/ads/catalog/world.ts'
import { adsEnvelope } from '../../../dialects/ads/envelope.ts'
import { type EventService, nameOf, SAMPLE_TIME, sentTime } from './service.ts'
import { signedSample } from './signed.ts'

const ENTITY_IDS: Readonly<Record<string, string>> = {
  campaign: ids.campaign,
  line_item: ids.lineItem,
  package: ids.package,
}
const OTHER_ENTITY_ID = '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6'

const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description })

/** @throws Error when the catalog does not have the type */
function entityTypeOf({ type }: EventType): string {
  const entry = adsCatalog.get(type)
  if (entry === undefined) throw new Error(`${type} is not in the catalog`)
  return entry.entityType
}

const entityOf = (type: EventType) => {
  const entityType = entityTypeOf(type)
  return { entityType, entityId: ENTITY_IDS[entityType] ?? OTHER_ENTITY_ID }
}

const { headers } = SCHEMES.service

export const adsEvents: EventService = {
  name: 'ads',
  title: 'Advertising platform service',
  data: { member: 'payload', suffix: 'Payload' },
  published: 'DomainEventToPublish',
  publishedMembers: (type) => ({
    entityType: { const: entityTypeOf(type), examples: [entityTypeOf(type)] },
    occurredAt: { format: 'date-time' },
    id: { format: 'uuid', maxLength: 36 },
  }),
  publishedExample: (type) => ({ type: type.type, ...entityOf(type), payload: type.example }),
  envelope: (type, data) => ({
    type: 'object',
    title: `${nameOf(type)}Event`,
    description: type.description,
    additionalProperties: false,
    properties: {
      id: uuid('The id of the event; the same in every attempt and replay.'),
      type: { type: 'string', const: type.type },
      entityType: { type: 'string', const: entityTypeOf(type) },
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
  sample: (dialect, type) => {
    const id = '0199703b-a8f3-7c26-b51e-4f0d92e8a767'
    const event = {
      id,
      type: type.type,
      ...entityOf(type),
      workspaceId: '0191d2b4-3e6f-7a80-9c15-b2d4f6081a3c',
      payload: type.example,
      occurredAt: SAMPLE_TIME,
    }
    return signedSample(dialect, type, {
      eventId: id,
      deliveryId: '0199703b-a902-7e44-8d37-6a1c05f9b3d2',
      body: adsEnvelope(event),
    })
  },
}
