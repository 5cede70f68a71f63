import { type TSchema, Type } from 'typebox'
import { DELIVERY_STATUSES, TRIGGERS } from '../../core/delivery.ts'
import type { SentRequestRecord } from '../../engine/engine.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { isPrefixed, type Profile } from '../../profiles/profile.ts'
import { headerShowing } from '../../profiles/requests.ts'
import type { Attempt, Creator, DeliveryRecord } from '../../storage/rows.ts'
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
import type { ServiceContext } from '../shared/context.ts'
import { cancelReason, findDelivery, waitingFor, waitingForSchema } from '../shared/deliveries.ts'
import { notFound } from '../shared/problems.ts'
import { closed, eventTypeName, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { Visibility } from '../shared/visibility.ts'
import { nullWithoutScope, originWithoutScope, titled } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords } from './words.ts'

const ENCODINGS = ['utf-8', 'base64'] as const

/** What keys without a scope get null for. */
function responseMembers(profile: Profile): Record<string, TSchema> {
  const body = Type.String({
    description: ['The first 2 KB of the body.', ...nullWithoutScope(profile)].join(' '),
  })
  const encoded = 'Encoding of `body`: `base64` if it is not text.'
  if (profile.access.contents === null) return { body, body_encoding: oneOf(ENCODINGS, encoded) }
  return {
    body: nullable(body),
    body_encoding: Type.Unsafe({
      type: ['string', 'null'],
      enum: [...ENCODINGS, null],
      description: `${encoded} Null when \`body\` is.`,
    }),
  }
}

const attemptMembers = (profile: Profile): Record<string, TSchema> => ({
  number: Type.Integer({
    description: 'Number of the attempt, counted from 1 over all attempts of the delivery.',
  }),
  trigger: oneOf(TRIGGERS, 'The reason for the attempt.'),
  started_at: time('When it began.'),
  duration_ms: Type.Integer({ description: 'Duration in milliseconds.' }),
  status_code: nullable(
    Type.Integer({ description: 'HTTP status of the response. Null: there was no response.' }),
  ),
  error: attemptError,
  cause: attemptCause,
  response: nullable(
    closed(
      {
        content_type: nullable(
          Type.String({ description: '`Content-Type` of the response. Null: there was none.' }),
        ),
        ...responseMembers(profile),
      },
      { description: "The receiver's response; null if there was none." },
    ),
  ),
})

/** The states that deliveries of the service can be in. */
export function statusOf({ profile }: ServedProfile) {
  const { exhausted } = profile.policy
  const never = exhausted === 'dead' ? 'failed' : 'dead'
  return oneOf(
    DELIVERY_STATUSES.filter((status) => status !== never),
    profile.operations.replay === null
      ? 'Finished in any state but `pending`.'
      : `A \`${exhausted}\` one can be replayed.`,
  )
}

const sentAs = (profile: Profile, field: 'id' | 'delivery_id'): string | null => {
  const header = headerShowing(profile, field)
  return header === null ? null : `Sent as \`${header}\` by every attempt.`
}

function deliveryMembers(service: ServedProfile): Record<string, TSchema> {
  const { profile } = service
  const words = receiverWords(profile)
  const idForm = isPrefixed(profile) ? {} : { format: 'uuid' }
  const sentId = sentAs(profile, 'delivery_id')
  const examples = isPrefixed(profile)
    ? { examples: [`${profile.prefixes.delivery}01k94jv3a6f2m8q0x5s7t9b1cd`] }
    : {}
  return {
    id: Type.String({ ...idForm, ...(sentId === null ? {} : { description: sentId }), ...examples }),
    webhook_id: Type.String({ ...idForm, description: words.isFor }),
    event_id: Type.String({
      ...idForm,
      description: sentAs(profile, 'id') ?? 'The event that it delivers.',
    }),
    event_type: eventTypeName,
    status: statusOf(service),
    cancel_reason: cancelReason,
    next_attempt_at: nullable(time('When the next attempt is due. Null: the delivery is finished.')),
    waiting_for: waitingForSchema,
    created_at: time('When it was created.'),
    finished_at: nullable(time('When it was finished.')),
  }
}

const NEWEST = { description: 'Oldest first; if there are more than 100, only the newest 100.' }

export const deliverySchema = (service: ServedProfile) =>
  titled(service, 'Delivery', receiverWords(service.profile).deliveryTitle, {
    ...deliveryMembers(service),
    attempts: Type.Array(closed(attemptMembers(service.profile), { title: 'Attempt' }), NEWEST),
  })

export function deliveryWithRequestsSchema(service: ServedProfile) {
  const { profile } = service
  const { contents } = profile.access
  const [hidden] = originWithoutScope(profile)
  const request =
    contents === null
      ? sentRequest(Type.String(), Type.String())
      : sentRequest(
          Type.String({ description: hidden! }),
          nullable(Type.String()),
          ` The signature is null for keys without the scope \`${contents}\`.`,
        )
  const attempt = closed({ ...attemptMembers(profile), request }, { title: 'AttemptWithRequest' })
  const also = contents === null ? '' : ` Also null for keys without the scope \`${contents}\`.`
  return titled(service, 'DeliveryWithRequests', `${receiverWords(profile).deliveryTitle}WithRequests`, {
    ...deliveryMembers(service),
    attempts: Type.Array(attempt, NEWEST),
    request_body: nullable(Type.String({ description: sentBodyDescription + also })),
  })
}

const deliveryId = pathId('The delivery.')

/** Of a path that names one delivery. */
export const deliveryParams = (service: ServedProfile) =>
  service.profile.paths === 'workspace' ? { ...webhookParams(service), did: deliveryId } : { id: deliveryId }

/** Finds the delivery that a path names, with its webhook or without. @throws Problem `not_found` */
export async function deliveryOf(
  ctx: ServiceContext,
  { workspace }: Caller,
  { id, did }: Readonly<Record<string, string>>,
): Promise<DeliveryRecord> {
  const delivery = await findDelivery(ctx, workspace, did ?? id!)
  if (did !== undefined && delivery.webhookPublicId !== id) throw notFound('delivery')
  return delivery
}

interface AttemptJson {
  readonly number: number
}

export function deliveryJson(
  ctx: ServiceContext,
  { workspace, visibility }: Caller,
  delivery: DeliveryRecord,
) {
  const { ids } = ctx.engine
  const event = { id: delivery.eventId, broughtId: delivery.broughtEventId, createdAt: delivery.createdAt }
  return {
    id: ids.delivery(workspace, delivery),
    webhook_id: delivery.webhookPublicId,
    event_id: ids.event(workspace, event),
    event_type: delivery.eventType,
    status: delivery.status,
    cancel_reason: delivery.cancelReason,
    attempts: delivery.attempts.map((attempt): AttemptJson => attemptJson(visibility, attempt)),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
    waiting_for: waitingFor(ctx, delivery),
    created_at: isoTime(delivery.createdAt),
    finished_at: isoTimeOrNull(delivery.finishedAt),
  }
}

export function deliveryWithRequestsJson(
  ctx: ServiceContext,
  caller: Caller,
  delivery: DeliveryRecord,
  sent: {
    readonly requests: readonly SentRequestRecord[]
    /** Of the webhook; `null`: it is gone. */
    readonly createdBy: Creator | null
  },
): object {
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

function attemptJson(visibility: Visibility, attempt: Attempt) {
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
