import { type Static, Type } from 'typebox'
import { FORMS } from '../core/textForms.ts'
import {
  closed,
  count,
  ids,
  jsonObject,
  MEMBER,
  nullable,
  oneOf,
  partial,
  record,
  SCOPE,
  scopes,
  text,
} from './formatParts.ts'
import { operations, policy, secret, signature } from './formatSending.ts'

// The format of a profile. Missing members are as in the profile `standard`: Standard Webhooks, an open catalog.

const words = partial(
  {
    webhook: oneOf(['webhook', 'endpoint'], 'The word for what receives events.'),
    types: oneOf(['events', 'types'], 'The member of a webhook that lists its event types.'),
    resend: oneOf(['redeliver', 'replay'], 'The word for sending a finished delivery again.'),
    event: Type.String({
      description: 'The word for what is published, in lower case. Default: event.',
      pattern: FORMS.noun.pattern,
      examples: ['domain event'],
    }),
  },
  'Words used in paths, members and the console.',
)

const webhook = partial(
  {
    all_types: Type.Boolean({
      description:
        'Whether an empty list of event types means all types, including future ones. If false, a webhook must list at least one.',
    }),
    state: Type.Boolean({
      description:
        'Whether webhooks show their state and creator, and can be disabled and enabled. If false, `policy` must not disable webhooks.',
    }),
  },
  'Features of webhooks.',
)

const givenMember = closed(
  {
    schema: jsonObject('JSON Schema (draft 2020-12) of the member.'),
    required: Type.Optional(
      Type.Boolean({ description: 'Whether every event must have it. Default: false.' }),
    ),
    example: Type.Optional(
      Type.Unknown({ description: 'Its value in example events. `{workspace.slug}` in texts is replaced.' }),
    ),
  },
  'A member that publishers send besides type, data, time and id.',
)

const event = partial(
  {
    data: Type.String({ description: 'Name of the member with the data.', pattern: MEMBER }),
    time: Type.String({ description: 'Name of the member with the time of the event.', pattern: MEMBER }),
    members: record(MEMBER, givenMember, 'More members, by name.', 20),
  },
  'What publishers send.',
)

export const TIME_FORMS = ['iso-ms', 'unix-s', 'unix-ms'] as const

const envelopeMember = closed(
  {
    path: Type.String({
      description:
        'Its path in the body, such as `data.object`. If the path contains other members, the members of the object are added to them.',
      pattern: FORMS.memberPath.pattern,
    }),
    field: Type.Optional(
      text(
        'Its value: `id`, `type`, `time`, `data`, `workspace.id`, `workspace.slug`, `workspace.name`, or a member of the event.',
        64,
      ),
    ),
    as: Type.Optional(oneOf(TIME_FORMS, 'Format of a time. Default: `iso-ms`.')),
    constant: Type.Optional(Type.Unknown({ description: 'A value that is the same in every event.' })),
    otherwise: Type.Optional(
      Type.Unknown({
        description: 'Its value in events that do not have the member. Default: the member is omitted.',
      }),
    ),
    description: Type.Optional(text('Its description in the API documents.', 500)),
    schema: Type.Optional(
      jsonObject(
        'JSON Schema (draft 2020-12) of the value that receivers get, for the API documents. Default: the schema of the member of the event.',
      ),
    ),
  },
  'One member of the body.',
)

const envelope = closed(
  {
    bare: Type.Optional(Type.Boolean({ description: 'The data itself is the body.' })),
    members: Type.Optional(
      Type.Array(envelopeMember, {
        description: 'The members, in the order in which they are sent.',
        minItems: 1,
        maxItems: 40,
      }),
    ),
    closed: Type.Optional(
      Type.Boolean({
        description:
          'Whether the API documents promise receivers that no members will be added. Default: false.',
      }),
    ),
  },
  'The body of requests: either `bare` or `members`.',
  { minProperties: 1 },
)

const headers = record(
  FORMS.headerName.pattern,
  text(
    'A template of text and the placeholders `{id}`, `{timestamp}` (Unix seconds), `{timestamp:iso}`, `{type}`, `{delivery_id}`, `{attempt}`, `{workspace.slug}`, `{webhook_id}` and `{signatures}`. `{{` produces a brace.',
    256,
  ),
  'The headers of requests, by name.',
  20,
)

const access = partial(
  {
    keys: scopes('All scopes that keys can have.'),
    publish: scopes('Scopes required to publish events.'),
    read: scopes('Scopes required to read webhooks, deliveries and events.'),
    create: scopes('Scopes required to create a webhook.'),
    change: scopes('Scopes required to change or delete a webhook, and to rotate its secret.'),
    contents: nullable(
      Type.String({
        description:
          'Scope required to see bodies of events, responses and signatures. Null: every key sees them.',
        pattern: SCOPE,
      }),
    ),
  },
  'The scopes of API keys, and the operations that require them.',
)

/** Members of the body, and words of each event, that the search reads at most. */
const MOST_SEARCHABLE = 12

const searchable = Type.Array(
  Type.String({ pattern: FORMS.searchablePath.pattern, examples: ['data.invoice.id'] }),
  {
    description:
      'Members of the body that the event search reads, as paths such as `data.invoice.id`; in a list, the member of each item. The search reads at most 24 words of an event: those of the first value of each member in this order, then of the second value, and so on. List ids first. Default: from the data, `id`, all members whose names end in `_id` or `Id`, `name`, `title`, and the `id` of nested objects.',
    maxItems: MOST_SEARCHABLE,
    uniqueItems: true,
  },
)

const limits = partial(
  {
    webhooks: nullable(
      count(
        'Maximum webhooks per workspace. Null: the setting `POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE`.',
        1,
        100_000,
      ),
    ),
    manual_sends_per_minute: nullable(
      count('Maximum tests and resends per workspace and minute. Null: no limit.', 1, 10_000),
    ),
  },
  'Limits of a workspace.',
)

const eventType = closed(
  {
    type: Type.String({
      description: 'Its name.',
      pattern: FORMS.eventTypeName.pattern,
      examples: ['invoice.paid'],
    }),
    title: text('Display name, a few words.', 100),
    description: Type.Optional(text('When it is sent, and what to use it for.', 2000)),
    group: Type.Optional(text('Its heading in the catalog.', 100)),
    schema: Type.Optional(
      jsonObject('JSON Schema (draft 2020-12) of the data. Default: any object is valid.'),
    ),
    example: Type.Optional(jsonObject('Example data, valid under the schema.')),
    members: Type.Optional(
      jsonObject('Values that members of the event must have in each event of this type.'),
    ),
    example_members: Type.Optional(jsonObject('Values of other members in example events.')),
    subscribable: Type.Optional(
      Type.Boolean({
        description:
          'Whether webhooks can subscribe to it. False for types that only the service itself sends. Default: true.',
      }),
    ),
  },
  'An event type.',
)

const catalog = partial(
  {
    open: Type.Boolean({
      description:
        'Whether any well-formed type can be published and subscribed to. Default: false if the profile has `catalog`, so only its types can be used.',
    }),
    types: Type.Array(eventType, { description: 'The described event types.', maxItems: 1000 }),
  },
  'What is published.',
)

const test = closed(
  {
    type: Type.String({ description: 'The type of test events.', pattern: FORMS.eventTypeName.pattern }),
    data: jsonObject('Data of test events. `{webhook_id}` in texts is replaced.'),
    members: Type.Optional(
      jsonObject(
        'Other members of test events. `{actor}` is replaced by the id of the member or key that requested the test; if there is none, the member is omitted.',
      ),
    ),
  },
  'The event that a test sends. Null: there is no test event, and a test sends the example of an event type.',
)

/** A profile as it is uploaded. */
export const ProfileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'URL of this schema.' })),
    profile: Type.Unsafe<1>({ const: 1, description: 'The version of this format.' }),
    name: Type.String({
      description: 'Identifies the service in `dialect` of a workspace and in settings.',
      pattern: FORMS.profileName.pattern,
    }),
    title: text('Display name.', 100),
    description: Type.Optional(text('What the service does.', 1000)),
    ids: Type.Optional(ids),
    case: Type.Optional(oneOf(['snake', 'camel'], 'Spelling of member names: `created_at` or `createdAt`.')),
    words: Type.Optional(words),
    paths: Type.Optional(
      oneOf(
        ['workspace', 'flat'],
        'Base path of its API: `/v1/workspaces/{ws}`, or `/api/v1`, where the API key determines the workspace.',
      ),
    ),
    webhook: Type.Optional(webhook),
    event: Type.Optional(event),
    envelope: Type.Optional(envelope),
    headers: Type.Optional(headers),
    signatures: Type.Optional(
      Type.Array(signature, {
        description: 'The signatures of a request, in order. Empty: requests are not signed.',
        maxItems: 2,
      }),
    ),
    unsigned: Type.Optional(
      Type.Boolean({
        description:
          'Must be true if there are no signatures. Receivers then cannot distinguish these requests from forged ones.',
      }),
    ),
    secret: Type.Optional(secret),
    policy: Type.Optional(policy),
    access: Type.Optional(access),
    operations: Type.Optional(operations),
    searchable: Type.Optional(searchable),
    limits: Type.Optional(limits),
    test: Type.Optional(nullable(test)),
    catalog: Type.Optional(catalog),
    compatibility: Type.Optional(
      oneOf(
        ['locked', 'none'],
        '`locked`: published event types cannot be removed or changed. `none`: they can.',
      ),
    ),
    texts: Type.Optional(
      record(
        FORMS.textPlace.pattern,
        Type.String({ description: 'The text.', maxLength: 1000 }),
        'Texts that replace the default texts of the API documents, by place: the summary or description of an operation (`createWebhook.summary`), the description of a member (`Webhook.url`), or the name of the service in sentences (`service.name`, such as "the billing service").',
        100,
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'Profile',
    description:
      'What a service publishes, and the form of its requests. Omitted members default to those of the profile `standard`.',
  },
)

export type ProfileDocument = Static<typeof ProfileSchema>
