import { type Static, Type } from 'typebox'
import type { StoredEvent } from '../../storage/rows.ts'
import { closed, eventTypeName, openObject, pathId, time } from '../shared/schemas.ts'

export const AdsEventSchema = closed(
  {
    type: eventTypeName,
    entityType: Type.String({
      description: 'What the event is about; each type has one.',
      examples: ['campaign'],
    }),
    // The format alone would also take the spelling `urn:uuid:…`.
    entityId: Type.String({ description: 'Which one it is about.', format: 'uuid', maxLength: 36 }),
    payload: openObject('Fits the schema of the type.'),
    occurredAt: Type.Optional(
      Type.String({ description: 'When it happened, RFC 3339; when it is accepted, if left out.' }),
    ),
    id: Type.Optional(
      Type.String({
        description:
          'An id of your own, a UUID. Publishing it again is then safe for as long as events are kept.',
      }),
    ),
  },
  { title: 'DomainEventToPublish' },
)

/** An event as webhooks receive it. */
export const EventSchema = closed(
  {
    id: Type.String({ format: 'uuid', description: 'The same in everything that is sent of it.' }),
    type: eventTypeName,
    entityType: Type.String({ description: 'What the event is about.', examples: ['campaign'] }),
    entityId: Type.String({ format: 'uuid', description: 'Which one it is about.' }),
    workspaceId: Type.String({ format: 'uuid', description: 'The workspace that it belongs to.' }),
    payload: openObject('Fits the schema of the type.'),
    occurredAt: time('When it happened.'),
  },
  { title: 'DomainEvent' },
)

export const eventParams = closed({ id: pathId('The event.') })

/** The body holds the id already. */
export const eventJson = (event: StoredEvent): Static<typeof EventSchema> => JSON.parse(event.body)
