import { SCHEMES } from '@posthorn/receiver/schemes'
import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS, prefixedIdPattern } from '../../../core/textForms.ts'
import { contentProfile } from '../../../profiles/builtIn.ts'
import { exampleMembers } from '../../../profiles/compile.ts'
import { fillTexts } from '../../../profiles/texts.ts'
import { mapSchemas } from '../../../validation/mapSchemas.ts'
import { type EventService, nameOf, type ObjectSchema, SAMPLE_TIME, sentTime } from './service.ts'
import { signedSample } from './signed.ts'

const WORKSPACE = { publicId: 'ws_01k94fqc5n8w3j6r0t2y4v7bxd', slug: 'spokewell', name: 'Spokewell' }
const { headers } = SCHEMES.standard
const EVENT_ID = prefixedIdPattern('evt_')

/** The members that the service itself puts into the data of every event. */
const COMPOSED = {
  workspace: {
    type: 'object',
    description: 'The workspace that the event belongs to.',
    properties: {
      id: { type: 'string', description: 'Its id.' },
      slug: { type: 'string', description: 'Its name in paths.' },
      name: { type: 'string', description: 'Its name for people.' },
    },
    required: ['id', 'slug', 'name'],
  },
  actor_id: { type: 'string', description: 'Who caused the event; left out when nobody is known.' },
  links: {
    type: 'object',
    description: 'Where to read more: `app`, `api`, `version` and others; empty when nothing was given.',
    additionalProperties: { type: 'string', format: 'uri' },
  },
}

export const contentEvents: EventService = {
  name: 'content',
  title: 'Content workflow service',
  data: { member: 'data', suffix: 'Data' },
  published: 'EventToPublish',
  publishedMembers: () => ({
    timestamp: { format: 'date-time', pattern: FORMS.instant.pattern },
    id: { pattern: EVENT_ID },
  }),
  publishedExample: ({ type, example }) => ({
    type,
    data: example,
    ...(fillTexts(exampleMembers(contentProfile, type), { 'workspace.slug': WORKSPACE.slug }) as object),
  }),
  envelope: (type) => ({
    type: 'object',
    title: `${nameOf(type)}Event`,
    description: type.description,
    properties: {
      type: { type: 'string', const: type.type },
      timestamp: sentTime('When it happened; order events by it.'),
      data: dataOf(type.schema as ObjectSchema),
    },
    required: ['type', 'timestamp', 'data'],
  }),
  headers: [
    {
      name: headers.id,
      description: 'The id of the event: the same on every retry and redelivery, so skip what you have seen.',
      schema: { type: 'string', pattern: EVENT_ID },
    },
    {
      name: headers.timestamp,
      description: 'When this attempt was signed, in Unix seconds; refuse what is more than 5 minutes off.',
      schema: { type: 'integer', minimum: 0 },
    },
    {
      name: headers.signature,
      description: 'One signature, or several with a space between while replaced secrets still sign.',
      schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
    },
  ],
  sample: (dialect, type) =>
    signedSample(dialect, type, {
      eventId: 'evt_01k5r3q8bm4v7x9c2n6t0d5wfh',
      deliveryId: 'dlv_01k5r3q8bz2j6k9p3s7v1y4gae',
      body: dialect.exampleBody({ type, workspace: WORKSPACE, occurredAt: SAMPLE_TIME }),
    }),
}

/**
 * What the service composes: its own members beside those of the type. Objects are open here, since a content event may
 * get further members, over which no receiver's validation should trip.
 */
function dataOf(schema: ObjectSchema): JsonSchema {
  const { properties, ...rest } = open(schema) as ObjectSchema
  return {
    ...rest,
    properties: { ...COMPOSED, ...properties },
    required: ['workspace', 'links', ...(schema.required ?? [])],
  }
}

function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _, ...rest } = mapSchemas(schema, open)
  return rest
}
