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

const webhookMembers = {
  id: Type.String({ format: 'uuid', description: 'Names the endpoint in paths.' }),
  url: Type.String({
    description: 'Where events are sent, in its normalised form.',
    examples: ['https://hooks.spokewell.com/ads'],
  }),
  types: Type.Array(eventTypeName, { description: 'The event types that it receives; empty: all.' }),
  description: Type.String({ description: 'The label it was given; empty when it has none.' }),
  createdAt: time('When it was created.'),
  updatedAt: time('When it last changed.'),
}

export const EndpointSchema = closed(webhookMembers, { title: 'Endpoint' })

export const EndpointWithSecretSchema = closed(
  {
    ...webhookMembers,
    signingSecret: signingSecret(),
    secretOmitted: signingSecretOmitted,
  },
  { title: 'EndpointWithSecret' },
)

const attemptMembers = {
  number: Type.Integer({ description: 'Counts from 1 over the whole life of the delivery.' }),
  trigger: oneOf(TRIGGERS, 'What set it off.'),
  startedAt: time('When it began.'),
  durationMs: Type.Integer({ description: 'Milliseconds until its outcome was known.' }),
  statusCode: nullable(Type.Integer({ description: 'HTTP status of the response; null when none came.' })),
  error: attemptError,
  response: nullable(
    closed(
      {
        contentType: nullable(Type.String({ description: 'Its `Content-Type`; null when it had none.' })),
        body: Type.String({ description: 'Its first 2 KB.' }),
        bodyEncoding: oneOf(['utf-8', 'base64'], 'How `body` is written; `base64` when it is not text.'),
      },
      { description: 'What the receiver answered; null when no response came.' },
    ),
  ),
}

export const deliveryStatus = oneOf(
  DELIVERY_STATUSES.filter((status) => status !== 'failed'),
  'A `dead` one can be replayed.',
)

const deliveryMembers = {
  id: Type.String({ format: 'uuid', description: 'Sent as `X-Service-Delivery` by every attempt.' }),
  webhookId: Type.String({ format: 'uuid', description: 'The endpoint that it goes to.' }),
  eventId: Type.String({ format: 'uuid', description: 'The event that it carries.' }),
  eventType: eventTypeName,
  status: deliveryStatus,
  cancelReason,
  nextAttemptAt: nullable(time('When the next attempt is due; null once finished.')),
  createdAt: time('When it was made.'),
  finishedAt: nullable(time('When it was finished.')),
}

export const EndpointDeliverySchema = closed(
  {
    ...deliveryMembers,
    attempts: Type.Array(closed(attemptMembers, { title: 'Attempt' }), {
      description: 'Oldest first; of more than 100, the newest 100.',
    }),
  },
  { title: 'EndpointDelivery' },
)

const AttemptWithRequestSchema = closed(
  { ...attemptMembers, request: sentRequest(Type.String(), Type.String()) },
  { title: 'AttemptWithRequest' },
)

export const EndpointDeliveryWithRequestsSchema = closed(
  {
    ...deliveryMembers,
    attempts: Type.Array(AttemptWithRequestSchema, {
      description: 'Oldest first; of more than 100, the newest 100.',
    }),
    requestBody: nullable(Type.String({ description: sentBodyDescription })),
  },
  { title: 'EndpointDeliveryWithRequests' },
)

/** An event as webhooks receive it. */
export const DomainEventSchema = closed(
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

export const ReplaySchema = closed(
  {
    id: Type.String({ format: 'uuid', description: 'Names the replay in paths.' }),
    status: oneOf(['running', 'finished'], 'Whether deliveries are still being replayed.'),
    total: Type.Integer({
      description:
        'How many deliveries were counted when it was asked for; where a filter leaves very many to look at, more may be replayed.',
    }),
    replayed: Type.Integer({ description: 'How many of them are pending again so far.' }),
    webhookId: nullable(Type.String({ description: 'Only deliveries to this endpoint; null: to all.' })),
    eventType: nullable(Type.String({ description: 'Only deliveries of this type; null: of all.' })),
    from: nullable(time('Only deliveries made at this time or later; null: from the oldest.')),
    to: nullable(time('Only deliveries made before this time; null: to the newest.')),
    createdAt: time('When it was asked for.'),
    finishedAt: nullable(time('When it was finished.')),
  },
  { title: 'Replay' },
)

export const endpointParams = closed({ id: pathId('The webhook endpoint.') })
export const eventParams = closed({ id: pathId('The event.') })
export const replayParams = closed({ id: pathId('The replay.') })
export const deliveryParams = closed({ id: pathId('The delivery.') })

/** What a caller says of an endpoint. */
export const endpointInput = {
  url: targetUrl,
  types: Type.Array(eventTypeName, {
    maxItems: 100,
    uniqueItems: true,
    description: 'The event types to receive; empty for all, also those that come to exist later.',
  }),
  description: freeText('A label of your own.', 1000),
}
