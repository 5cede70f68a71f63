import type { Static } from 'typebox'
import type { SentRequestRecord, ShownSecret } from '../../engine/engine.ts'
import type {
  Attempt,
  DeliveryRecord,
  Replay,
  StoredEvent,
  Webhook,
  WebhookFields,
} from '../../storage/rows.ts'
import { errorOf, hasResponse, requestOf, showBody } from '../shared/attempts.ts'
import type { Caller } from '../shared/caller.ts'
import type { Context, DialectContext } from '../shared/context.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type {
  DomainEventSchema,
  EndpointDeliverySchema,
  EndpointDeliveryWithRequestsSchema,
  EndpointSchema,
  EndpointWithSecretSchema,
  ReplaySchema,
} from './schemas.ts'

type EndpointJson = Static<typeof EndpointSchema>
type DeliveryJson = Static<typeof EndpointDeliverySchema>

export function endpointJson(webhook: Webhook): EndpointJson {
  return {
    id: webhook.publicId,
    url: webhook.url,
    types: [...webhook.eventTypes],
    description: webhook.description,
    createdAt: isoTime(webhook.createdAt),
    updatedAt: isoTime(webhook.updatedAt),
  }
}

/** The fields of a webhook that a request names, but for its URL, which is checked first. */
export const endpointFields = ({
  types,
  description,
}: {
  readonly types?: readonly string[]
  readonly description?: string
}): Partial<WebhookFields> => ({
  ...(types === undefined ? {} : { eventTypes: types }),
  ...(description === undefined ? {} : { description }),
})

/** @param made an endpoint, and the secret that was made with it or for it */
export const endpointWithSecretJson = (made: {
  readonly webhook: Webhook
  readonly shown: ShownSecret
}): Static<typeof EndpointWithSecretSchema> => ({
  ...endpointJson(made.webhook),
  signingSecret: made.shown.secret,
  secretOmitted: made.shown.omitted,
})

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
    createdAt: isoTime(delivery.createdAt),
    finishedAt: isoTimeOrNull(delivery.finishedAt),
  }
}

export function deliveryWithRequestsJson(
  ctx: DialectContext,
  caller: Caller,
  delivery: DeliveryRecord,
  requests: readonly SentRequestRecord[],
): Static<typeof EndpointDeliveryWithRequestsSchema> {
  const { attempts, ...members } = deliveryJson(ctx, caller, delivery)
  return {
    ...members,
    attempts: attempts.map((attempt) => ({ ...attempt, request: requestOf(requests, attempt.number) })),
    requestBody: requests[0]?.body ?? null,
  }
}

/** The body holds the id already. */
export const eventJson = (event: StoredEvent): Static<typeof DomainEventSchema> => JSON.parse(event.body)

export function replayJson(replay: Replay): Static<typeof ReplaySchema> {
  return {
    id: replay.publicId,
    status: replay.finishedAt === null ? 'running' : 'finished',
    total: replay.total,
    replayed: replay.replayed,
    webhookId: replay.webhookPublicId,
    eventType: replay.eventType,
    from: isoTimeOrNull(replay.from),
    to: isoTimeOrNull(replay.to),
    createdAt: isoTime(replay.createdAt),
    finishedAt: isoTimeOrNull(replay.finishedAt),
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
    response: hasResponse(attempt) ? responseJson(attempt) : null,
  }
}

function responseJson(attempt: Attempt) {
  const { body, encoding } = showBody(attempt.responseBody)
  return { contentType: attempt.contentType, body, bodyEncoding: encoding }
}
