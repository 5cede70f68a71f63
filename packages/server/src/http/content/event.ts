import { type Static, Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import type { StoredEvent } from '../../storage/rows.ts'
import type { Caller } from '../shared/caller.ts'
import type { DialectContext } from '../shared/context.ts'
import { closed, eventTypeName, openObject, pathId, time } from '../shared/schemas.ts'
import { NULL_WITHOUT_SCOPE, workspaceParams } from './common.ts'

const MAX_LINKS = 10

export const ContentEventSchema = closed(
  {
    type: eventTypeName,
    data: openObject(
      "Fits the schema of the type. The service adds `workspace`, `actor_id` and `links` when it composes the event's body.",
    ),
    actor_id: Type.Optional(
      Type.String({
        description: 'Who caused the event.',
        pattern: FORMS.actorId.pattern,
        examples: ['usr_01K94FSMRANNA'],
      }),
    ),
    links: Type.Optional(
      Type.Record(
        Type.String({ pattern: FORMS.linkName.pattern }),
        Type.String({ format: 'uri', pattern: FORMS.webLink.pattern, maxLength: 2048 }),
        {
          additionalProperties: false,
          maxProperties: MAX_LINKS,
          description: `Where to read more: \`app\`, \`api\`, \`version\` and other short names, at most ${MAX_LINKS}.`,
        },
      ),
    ),
    timestamp: Type.Optional(
      Type.String({ description: 'When it happened, RFC 3339; when it is accepted, if left out.' }),
    ),
    id: Type.Optional(
      Type.String({
        description:
          'An id of your own: `evt_` and 1 to 64 letters, digits, `_` or `-`. Publishing it again is then safe for as long as events are kept.',
      }),
    ),
  },
  { title: 'EventToPublish' },
)

/** An event as webhooks receive it, and the id that they get in a header. */
export const EventSchema = closed(
  {
    id: Type.String({ description: 'Sent as `webhook-id`.', examples: ['evt_01k94jv3a6f2m8q0x5s7t9b1cd'] }),
    type: eventTypeName,
    timestamp: time('When it happened.'),
    data: Type.Unsafe<Readonly<Record<string, unknown>> | null>({
      ...openObject(
        `Fits the schema of the type, with \`workspace\`, \`actor_id\` and \`links\`. ${NULL_WITHOUT_SCOPE}`,
      ),
      type: ['object', 'null'],
    }),
  },
  { title: 'Event' },
)

export const eventParams = closed({ ...workspaceParams.properties, id: pathId('The event.') })

export function eventJson(
  ctx: DialectContext,
  { workspace, visibility }: Caller,
  event: StoredEvent,
): Static<typeof EventSchema> {
  const { type, timestamp, data } = JSON.parse(event.body)
  const id = ctx.engine.ids.event(workspace, event)
  return { id, type, timestamp, data: visibility.contentsOrNull(() => data) }
}
