import { type Static, Type } from 'typebox'
import { DELIVERY_STATUSES, TRIGGERS } from '../../core/delivery.ts'
import type { SentRequestRecord } from '../../engine/engine.ts'
import type { Attempt, Creator, DeliveryRecord, Workspace } from '../../storage/rows.ts'
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
import { cancelReason, findDelivery, waitingFor, waitingForSchema } from '../shared/deliveries.ts'
import { notFound } from '../shared/problems.ts'
import { closed, eventTypeName, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { Visibility } from '../shared/visibility.ts'
import { NULL_WITHOUT_SCOPE, ORIGIN_WITHOUT_SCOPE } from './common.ts'
import { webhookParams } from './webhook.ts'

const attemptMembers = {
  number: Type.Integer({ description: 'Counts from 1 over the whole life of the delivery.' }),
  trigger: oneOf(TRIGGERS, 'What set it off.'),
  started_at: time('When it began.'),
  duration_ms: Type.Integer({ description: 'Milliseconds until its outcome was known.' }),
  status_code: nullable(Type.Integer({ description: 'HTTP status of the response; null when none came.' })),
  error: attemptError,
  cause: attemptCause,
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
  waiting_for: waitingForSchema,
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

type DeliveryJson = Static<typeof DeliverySchema>

export const deliveryParams = closed({ ...webhookParams.properties, did: pathId('The delivery.') })

/** Finds a delivery by a path that names its webhook too. @throws Problem `not_found` */
export async function findDeliveryOf(
  ctx: DialectContext,
  workspace: Workspace,
  path: { readonly id: string; readonly did: string },
): Promise<DeliveryRecord> {
  const delivery = await findDelivery(ctx, workspace, path.did)
  if (delivery.webhookPublicId !== path.id) throw notFound('delivery')
  return delivery
}

export function deliveryJson(
  ctx: Context,
  { workspace, visibility }: Caller,
  delivery: DeliveryRecord,
): DeliveryJson {
  const { ids } = ctx.engine
  const event = { id: delivery.eventId, broughtId: delivery.broughtEventId, createdAt: delivery.createdAt }
  return {
    id: ids.delivery(workspace, delivery),
    webhook_id: delivery.webhookPublicId,
    event_id: ids.event(workspace, event),
    event_type: delivery.eventType,
    // This dialect's policy never ends a delivery `dead`.
    status: delivery.status as DeliveryJson['status'],
    cancel_reason: delivery.cancelReason,
    attempts: delivery.attempts.map((attempt) => attemptJson(visibility, attempt)),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
    waiting_for: waitingFor(ctx, delivery),
    created_at: isoTime(delivery.createdAt),
    finished_at: isoTimeOrNull(delivery.finishedAt),
  }
}

export function deliveryWithRequestsJson(
  ctx: DialectContext,
  caller: Caller,
  delivery: DeliveryRecord,
  sent: {
    readonly requests: readonly SentRequestRecord[]
    /** Of the webhook; `null`: it is gone. */
    readonly createdBy: Creator | null
  },
): Static<typeof DeliveryWithRequestsSchema> {
  const { requests, createdBy } = sent
  const { visibility } = caller
  const { attempts, ...members } = deliveryJson(ctx, caller, delivery)
  const requestJson = (number: number) => {
    const request = requestOf(requests, number)
    if (request === null) return null
    const { signatureHeader } = ctx.dialect
    const url = visibility.url(request.url, createdBy)
    if (signatureHeader === null) return { ...request, url }
    const signature = visibility.contentsOrNull(() => request.headers[signatureHeader] ?? null)
    return { ...request, url, headers: { ...request.headers, [signatureHeader]: signature } }
  }
  return {
    ...members,
    attempts: attempts.map((attempt) => ({ ...attempt, request: requestJson(attempt.number) })),
    request_body: visibility.contentsOrNull(() => requests[0]?.body ?? null),
  }
}

function attemptJson(visibility: Visibility, attempt: Attempt): DeliveryJson['attempts'][number] {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: isoTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: errorOf(attempt),
    cause: attempt.cause,
    response: hasResponse(attempt) ? responseJson(visibility, attempt) : null,
  }
}

function responseJson({ contentsOrNull }: Visibility, { contentType, responseBody }: Attempt) {
  const shown = contentsOrNull(() => showBody(responseBody))
  return { content_type: contentType, body: shown?.body ?? null, body_encoding: shown?.encoding ?? null }
}
