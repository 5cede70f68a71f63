import { Type } from 'typebox'
import { DELIVERY_STATUSES, TRIGGERS } from '../../core/delivery.ts'
import { attemptError, sentBodyDescription, sentRequest } from '../shared/attempts.ts'
import { cancelReason } from '../shared/deliveries.ts'
import {
  closed,
  eventTypeName,
  freeText,
  nullable,
  oneOf,
  openObject,
  pathId,
  targetUrl,
  time,
} from '../shared/schemas.ts'
import { signingSecret, signingSecretOmitted } from '../shared/shownOnce.ts'

/** Said of what {@link Visibility.contents} is about. */
const NULL_WITHOUT_SCOPE = 'Null for keys without the scope `generations:read`.'
const ORIGIN_WITHOUT_SCOPE =
  'Keys without the scope `generations:read` see only the scheme and the host, unless they created the webhook.'

const webhookMembers = {
  id: Type.String({
    description: 'Names the webhook in paths.',
    examples: ['wh_01k94jv3a6f2m8q0x5s7t9b1cd'],
  }),
  url: Type.String({
    description: `Where events are sent, in its normalised form. ${ORIGIN_WITHOUT_SCOPE}`,
    examples: ['https://hooks.spokewell.com/posthorn'],
  }),
  events: Type.Array(eventTypeName, { description: 'The event types that it receives.' }),
  description: Type.String({ description: 'The label it was given; empty when it has none.' }),
  enabled: Type.Boolean({ description: 'True in every state but `off`.' }),
  status: oneOf(['on', 'off', 'paused'], 'Whether events are sent now.'),
  off_reason: Type.Unsafe<'gone' | 'failing' | 'manual' | null>({
    type: ['string', 'null'],
    enum: ['gone', 'failing', 'manual', null],
    description:
      'Why it is off: the receiver answered 410, it failed for too long, or somebody turned it off.',
  }),
  failing_since: nullable(time('The first failed attempt since the last success.')),
  created_at: time('When it was created.'),
  updated_at: time('When it last changed.'),
  created_by: closed(
    {
      type: oneOf(['member', 'key'], 'A member who was signed in, or an API key.'),
      id: Type.String({ description: 'The member or key.' }),
    },
    { description: 'Who created it.' },
  ),
}

export const WebhookSchema = closed(webhookMembers, { title: 'Webhook' })

export const WebhookWithSecretSchema = closed(
  {
    ...webhookMembers,
    signing_secret: signingSecret({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPFuXzB6TgF4='] }),
    secret_omitted: signingSecretOmitted,
  },
  { title: 'WebhookWithSecret' },
)

const attemptMembers = {
  number: Type.Integer({ description: 'Counts from 1 over the whole life of the delivery.' }),
  trigger: oneOf(TRIGGERS, 'What set it off.'),
  started_at: time('When it began.'),
  duration_ms: Type.Integer({ description: 'Milliseconds until its outcome was known.' }),
  status_code: nullable(Type.Integer({ description: 'HTTP status of the response; null when none came.' })),
  error: attemptError,
  response: nullable(
    closed(
      {
        content_type: nullable(Type.String({ description: 'Its `Content-Type`; null when it had none.' })),
        body: nullable(Type.String({ description: `Its first 2 KB. ${NULL_WITHOUT_SCOPE}` })),
        body_encoding: Type.Unsafe<'utf-8' | 'base64' | null>({
          type: ['string', 'null'],
          enum: ['utf-8', 'base64', null],
          description: 'How `body` is written; `base64` when it is not text. Null when `body` is.',
        }),
      },
      { description: 'What the receiver answered; null when no response came.' },
    ),
  ),
}

export const deliveryStatus = oneOf(
  DELIVERY_STATUSES.filter((status) => status !== 'dead'),
  'Finished in any state but `pending`.',
)

const deliveryMembers = {
  id: Type.String({ examples: ['dlv_01k94jv3a6f2m8q0x5s7t9b1cd'] }),
  webhook_id: Type.String({ description: 'The webhook that it is for.' }),
  event_id: Type.String({ description: 'Sent as `webhook-id` by every attempt.' }),
  event_type: eventTypeName,
  status: deliveryStatus,
  cancel_reason: cancelReason,
  next_attempt_at: nullable(time('When the next attempt is due; null once finished.')),
  created_at: time('When it was made.'),
  finished_at: nullable(time('When it was finished.')),
}

export const DeliverySchema = closed(
  {
    ...deliveryMembers,
    attempts: Type.Array(closed(attemptMembers, { title: 'Attempt' }), {
      description: 'Oldest first; of more than 100, the newest 100.',
    }),
  },
  { title: 'Delivery' },
)

const AttemptWithRequestSchema = closed(
  {
    ...attemptMembers,
    request: sentRequest(
      Type.String({ description: ORIGIN_WITHOUT_SCOPE }),
      nullable(Type.String()),
      ' The signature is null for keys without the scope `generations:read`.',
    ),
  },
  { title: 'AttemptWithRequest' },
)

export const DeliveryWithRequestsSchema = closed(
  {
    ...deliveryMembers,
    attempts: Type.Array(AttemptWithRequestSchema, {
      description: 'Oldest first; of more than 100, the newest 100.',
    }),
    request_body: nullable(
      Type.String({
        description: `${sentBodyDescription} Also null for keys without the scope \`generations:read\`.`,
      }),
    ),
  },
  { title: 'DeliveryWithRequests' },
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

export const workspaceParams = closed({ ws: pathId('Id or slug of the workspace.') })
export const eventParams = closed({
  ws: pathId('Id or slug of the workspace.'),
  id: pathId('The event.'),
})
export const webhookParams = closed({
  ws: pathId('Id or slug of the workspace.'),
  id: pathId('The webhook.'),
})
export const deliveryParams = closed({
  ws: pathId('Id or slug of the workspace.'),
  id: pathId('The webhook.'),
  did: pathId('The delivery.'),
})

/** What a caller says of a webhook. */
export const webhookInput = {
  url: targetUrl,
  events: Type.Array(eventTypeName, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'The event types to receive. Nobody subscribes to `webhook.test`.',
  }),
  description: freeText('A label of your own.', 1000),
}
