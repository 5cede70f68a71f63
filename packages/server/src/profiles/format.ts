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
    webhook: oneOf(['webhook', 'endpoint'], 'What receives events.'),
    types: oneOf(['events', 'types'], 'The member of a webhook that lists its event types.'),
    resend: oneOf(['redeliver', 'replay'], 'Sending a finished delivery again.'),
    event: Type.String({
      description: 'What is published, in lower case: an event, unless said otherwise.',
      pattern: FORMS.noun.pattern,
      examples: ['domain event'],
    }),
  },
  'What things are called in paths, members and the console.',
)

const webhook = partial(
  {
    all_types: Type.Boolean({
      description:
        'Whether an empty list of event types means all, also those that come to exist later. Otherwise a webhook names at least one.',
    }),
    state: Type.Boolean({
      description:
        'Whether a webhook shows its state and who created it, and can be disabled and enabled. Without it, `policy` must never disable one.',
    }),
  },
  'What a webhook can do.',
)

const givenMember = closed(
  {
    schema: jsonObject('JSON Schema (draft 2020-12) of the member.'),
    required: Type.Optional(
      Type.Boolean({ description: 'Whether every event must have it; false if left out.' }),
    ),
    example: Type.Optional(
      Type.Unknown({ description: 'In made-up events. `{workspace.slug}` in texts is replaced.' }),
    ),
  },
  'A member that publishers send beside the type, the data, the time and the id.',
)

const event = partial(
  {
    data: Type.String({ description: 'The member that holds the data.', pattern: MEMBER }),
    time: Type.String({ description: 'The member that holds when it happened.', pattern: MEMBER }),
    members: record(MEMBER, givenMember, 'More members, by name.', 20),
  },
  'What publishers send.',
)

export const TIME_FORMS = ['iso-ms', 'unix-s', 'unix-ms'] as const

const envelopeMember = closed(
  {
    path: Type.String({
      description:
        'Where it stands, such as `data.object`. An object that stands where other members are adds its own members to them.',
      pattern: FORMS.memberPath.pattern,
    }),
    field: Type.Optional(
      text(
        'What it holds: `id`, `type`, `time`, `data`, `workspace.id`, `workspace.slug`, `workspace.name`, or a member of the event.',
        64,
      ),
    ),
    as: Type.Optional(oneOf(TIME_FORMS, 'How a time is written; `iso-ms` if left out.')),
    constant: Type.Optional(Type.Unknown({ description: 'A value that is the same in every event.' })),
    otherwise: Type.Optional(
      Type.Unknown({
        description: 'Its value in events that do not have the member; without it, it is left out.',
      }),
    ),
    description: Type.Optional(text('What documents say of it.', 500)),
    schema: Type.Optional(
      jsonObject(
        'JSON Schema (draft 2020-12) of what receivers get, for documents. Without it, that of the member of the event.',
      ),
    ),
  },
  'One member of the body.',
)

const envelope = closed(
  {
    bare: Type.Optional(Type.Boolean({ description: 'The data itself is the body.' })),
    members: Type.Optional(
      Type.Array(envelopeMember, { description: 'In order.', minItems: 1, maxItems: 40 }),
    ),
    closed: Type.Optional(
      Type.Boolean({
        description:
          'Whether documents promise receivers that no members are added. Not promised if left out.',
      }),
    ),
  },
  'The body of requests: either `bare` or `members`.',
  { minProperties: 1 },
)

const headers = record(
  FORMS.headerName.pattern,
  text(
    'A template of text and of `{id}`, `{timestamp}` (Unix seconds), `{timestamp:iso}`, `{type}`, `{delivery_id}`, `{attempt}`, `{workspace.slug}`, `{webhook_id}` and `{signatures}`. `{{` stands for a brace.',
    256,
  ),
  'The headers of requests, by name.',
  20,
)

const access = partial(
  {
    keys: scopes('All scopes that a key can have.'),
    publish: scopes('To publish events.'),
    read: scopes('To read webhooks, deliveries and events.'),
    create: scopes('To create a webhook.'),
    change: scopes('To change or delete a webhook, and to rotate its secret.'),
    contents: nullable(
      Type.String({
        description:
          'Without this scope a key sees no body of an event, response or signature; null: every key sees them.',
        pattern: SCOPE,
      }),
    ),
  },
  'The scopes of API keys, and what needs them.',
)

/** Members of the body, and words of each event, that the search reads at most. */
const MOST_SEARCHABLE = 12

const searchable = Type.Array(
  Type.String({ pattern: FORMS.searchablePath.pattern, examples: ['data.invoice.id'] }),
  {
    description:
      'Members of the body whose words find an event, as paths such as `data.invoice.id`; of a list, those of each member. At most 24 words of an event are read: of the first value of each member in this order, then of the second, and so on. Name ids first. Left out: of the data, `id`, all members whose names end in `_id` or `Id`, `name`, `title`, and the `id` of nested objects.',
    maxItems: MOST_SEARCHABLE,
    uniqueItems: true,
  },
)

const limits = partial(
  {
    webhooks: nullable(
      count('Webhooks in a workspace; null: the setting `POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE`.', 1, 100_000),
    ),
    manual_sends_per_minute: nullable(
      count('Tests and resends in a workspace in a minute; null: no limit.', 1, 10_000),
    ),
  },
  'What a workspace may have and do.',
)

const eventType = closed(
  {
    type: Type.String({
      description: 'Its name.',
      pattern: FORMS.eventTypeName.pattern,
      examples: ['invoice.paid'],
    }),
    title: text('A few words.', 100),
    description: Type.Optional(text('When it is sent, and what it is good for.', 2000)),
    group: Type.Optional(text('The heading that it stands under.', 100)),
    schema: Type.Optional(
      jsonObject('JSON Schema (draft 2020-12) of the data; without one, any object may be sent.'),
    ),
    example: Type.Optional(jsonObject('Data that fits the schema.')),
    members: Type.Optional(jsonObject('The value that each event of the type has in a member of the event.')),
    example_members: Type.Optional(jsonObject('Values of other members in made-up events.')),
    subscribable: Type.Optional(
      Type.Boolean({ description: 'False for what only the service itself sends.' }),
    ),
  },
  'An event type.',
)

const catalog = partial(
  {
    open: Type.Boolean({
      description:
        'Whether any well-formed type may be published and subscribed to. Where the catalog is written and does not say so, only its types may.',
    }),
    types: Type.Array(eventType, { description: 'The event types that are described.', maxItems: 1000 }),
  },
  'What is published.',
)

const test = closed(
  {
    type: Type.String({ description: 'The type of test events.', pattern: FORMS.eventTypeName.pattern }),
    data: jsonObject('Their data. `{webhook_id}` in texts is replaced.'),
    members: Type.Optional(
      jsonObject(
        'Their other members. `{actor}` stands for the id of the member or key that asked; without one, the member is left out.',
      ),
    ),
  },
  'The event that a test sends. Null: the service has none of its own, and a test sends the example of a type.',
)

/** A profile as it is uploaded. */
export const ProfileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'Where this schema is published.' })),
    profile: Type.Unsafe<1>({ const: 1, description: 'The version of this format.' }),
    name: Type.String({
      description: 'Names it in `dialect` of a workspace and in settings.',
      pattern: FORMS.profileName.pattern,
    }),
    title: text('The name for people.', 100),
    description: Type.Optional(text('What the service does.', 1000)),
    ids: Type.Optional(ids),
    case: Type.Optional(oneOf(['snake', 'camel'], 'How members are written: `created_at` or `createdAt`.')),
    words: Type.Optional(words),
    paths: Type.Optional(
      oneOf(
        ['workspace', 'flat'],
        'Where its API is served: under `/v1/workspaces/{ws}`, or under `/api/v1`, where the API key says which workspace is meant.',
      ),
    ),
    webhook: Type.Optional(webhook),
    event: Type.Optional(event),
    envelope: Type.Optional(envelope),
    headers: Type.Optional(headers),
    signatures: Type.Optional(
      Type.Array(signature, { description: 'In order; none: requests are not signed.', maxItems: 2 }),
    ),
    unsigned: Type.Optional(
      Type.Boolean({
        description: 'Says outright that receivers cannot tell these requests from forged ones.',
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
      oneOf(['locked', 'none'], 'Whether a type that was published keeps its shape for ever.'),
    ),
    texts: Type.Optional(
      record(
        FORMS.textPlace.pattern,
        Type.String({ description: 'The text.', maxLength: 1000 }),
        'What documents say instead of the usual text, by its place: the summary or description of an operation, as in `createWebhook.summary`, the description of a member, as in `Webhook.url`, or `service.name`, what sentences call the service, as in "the billing service".',
        100,
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'Profile',
    description:
      'What a service publishes, and how its requests look. What is left out is as in the profile `standard`.',
  },
)

export type ProfileDocument = Static<typeof ProfileSchema>
