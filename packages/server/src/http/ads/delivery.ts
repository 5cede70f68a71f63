import { type Static, Type } from 'typebox'
import { DELIVERY_STATUSES, TRIGGERS } from '../../core/delivery.ts'
import type { SentRequestRecord } from '../../engine/engine.ts'
import type { Attempt, DeliveryRecord } from '../../storage/rows.ts'
import {
  attemptCause,
  attemptError,
  errorOf,
  hasResponse,
  requestOf,
  sentBodyDescription,
  sentRequest,
  showBody,
} from '../shared/attempts.ts'
import type { Caller } from '../shared/caller.ts'
import type { Context, DialectContext } from '../shared/context.ts'
import { cancelReason, waitingFor, waitingForSchema } from '../shared/deliveries.ts'
import { closed, eventTypeName, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'

const attemptMembers = {
  number: Type.Integer({ description: 'Counts from 1 over the whole life of the delivery.' }),
  trigger: oneOf(TRIGGERS, 'What set it off.'),
  startedAt: time('When it began.'),
  durationMs: Type.Integer({ description: 'Milliseconds until its outcome was known.' }),
  statusCode: nullable(Type.Integer({ description: 'HTTP status of the response; null when none came.' })),
  error: attemptError,
  cause: attemptCause,
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
  waitingFor: waitingForSchema,
  createdAt: time('When it was made.'),
  finishedAt: nullable(time('When it was finished.')),
}

export const DeliverySchema = closed(
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

export const DeliveryWithRequestsSchema = closed(
  {
    ...deliveryMembers,
    attempts: Type.Array(AttemptWithRequestSchema, {
      description: 'Oldest first; of more than 100, the newest 100.',
    }),
    requestBody: nullable(Type.String({ description: sentBodyDescription })),
  },
  { title: 'EndpointDeliveryWithRequests' },
)

type DeliveryJson = Static<typeof DeliverySchema>

export const deliveryParams = closed({ id: pathId('The delivery.') })

export function deliveryJson(ctx: Context, { workspace }: Caller, delivery: DeliveryRecord): DeliveryJson {
  const { ids } = ctx.engine
  const event = { id: delivery.eventId, broughtId: delivery.broughtEventId, createdAt: delivery.createdAt }
  return {
    id: ids.delivery(workspace, delivery),
    webhookId: delivery.webhookPublicId,
    eventId: ids.event(workspace, event),
    eventType: delivery.eventType,
    // This dialect's policy never ends a delivery `failed`.
    status: delivery.status as DeliveryJson['status'],
    cancelReason: delivery.cancelReason,
    attempts: delivery.attempts.map(attemptJson),
    nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
    waitingFor: waitingFor(ctx, delivery),
    createdAt: isoTime(delivery.createdAt),
    finishedAt: isoTimeOrNull(delivery.finishedAt),
  }
}

export function deliveryWithRequestsJson(
  ctx: DialectContext,
  caller: Caller,
  delivery: DeliveryRecord,
  requests: readonly SentRequestRecord[],
): Static<typeof DeliveryWithRequestsSchema> {
  const { attempts, ...members } = deliveryJson(ctx, caller, delivery)
  return {
    ...members,
    attempts: attempts.map((attempt) => ({ ...attempt, request: requestOf(requests, attempt.number) })),
    requestBody: requests[0]?.body ?? null,
  }
}

function attemptJson(attempt: Attempt): DeliveryJson['attempts'][number] {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    startedAt: isoTime(attempt.startedAt),
    durationMs: attempt.durationMs,
    statusCode: attempt.statusCode,
    error: errorOf(attempt),
    cause: attempt.cause,
    response: hasResponse(attempt) ? responseJson(attempt) : null,
  }
}

function responseJson(attempt: Attempt) {
  const { body, encoding } = showBody(attempt.responseBody)
  return { contentType: attempt.contentType, body, bodyEncoding: encoding }
}
