import type { Static } from 'typebox'
import type { SentRequestRecord, ShownSecret } from '../../engine/engine.ts'
import type {
  Attempt,
  Creator,
  DeliveryRecord,
  StoredEvent,
  Webhook,
  WebhookFields,
} from '../../storage/rows.ts'
import { errorOf, hasResponse, requestOf, showBody } from '../shared/attempts.ts'
import type { Caller } from '../shared/caller.ts'
import type { Context, DialectContext } from '../shared/context.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { Visibility } from '../shared/visibility.ts'
import type {
  DeliverySchema,
  DeliveryWithRequestsSchema,
  EventSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from './schemas.ts'

type WebhookJson = Static<typeof WebhookSchema>
type DeliveryJson = Static<typeof DeliverySchema>

export function webhookJson({ visibility }: Caller, webhook: Webhook): WebhookJson {
  return {
    id: webhook.publicId,
    url: visibility.url(webhook.url, webhook.createdBy),
    events: [...webhook.eventTypes],
    description: webhook.description,
    enabled: webhook.status !== 'off',
    status: webhook.status,
    off_reason: webhook.offReason,
    failing_since: isoTimeOrNull(webhook.failingSince),
    created_at: isoTime(webhook.createdAt),
    updated_at: isoTime(webhook.updatedAt),
    created_by: { type: webhook.createdBy.type, id: webhook.createdBy.publicId },
  }
}

/** The fields of a webhook that a request names, but for its URL, which is checked first. */
export const webhookFields = ({
  events,
  description,
}: {
  readonly events?: readonly string[]
  readonly description?: string
}): Partial<WebhookFields> => ({
  ...(events === undefined ? {} : { eventTypes: events }),
  ...(description === undefined ? {} : { description }),
})

/** @param made a webhook, and the secret that was made with it or for it */
export const webhookWithSecretJson = (
  caller: Caller,
  { webhook, shown }: { readonly webhook: Webhook; readonly shown: ShownSecret },
): Static<typeof WebhookWithSecretSchema> => ({
  ...webhookJson(caller, webhook),
  signing_secret: shown.secret,
  secret_omitted: shown.omitted,
})

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
    const signature = visibility.contentsOrNull(() => request.headers[signatureHeader] ?? null)
    return {
      ...request,
      url: visibility.url(request.url, createdBy),
      headers: { ...request.headers, [signatureHeader]: signature },
    }
  }
  return {
    ...members,
    attempts: attempts.map((attempt) => ({ ...attempt, request: requestJson(attempt.number) })),
    request_body: visibility.contentsOrNull(() => requests[0]?.body ?? null),
  }
}

export function eventJson(
  ctx: DialectContext,
  { workspace, visibility }: Caller,
  event: StoredEvent,
): Static<typeof EventSchema> {
  const { type, timestamp, data } = JSON.parse(event.body)
  const id = ctx.engine.ids.event(workspace, event)
  return { id, type, timestamp, data: visibility.contentsOrNull(() => data) }
}

function attemptJson(visibility: Visibility, attempt: Attempt): DeliveryJson['attempts'][number] {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: isoTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: errorOf(attempt),
    response: hasResponse(attempt) ? responseJson(visibility, attempt) : null,
  }
}

function responseJson({ contentsOrNull }: Visibility, { contentType, responseBody }: Attempt) {
  const shown = contentsOrNull(() => showBody(responseBody))
  return { content_type: contentType, body: shown?.body ?? null, body_encoding: shown?.encoding ?? null }
}
