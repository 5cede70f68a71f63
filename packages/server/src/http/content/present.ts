import type { Static } from 'typebox'
import type { SentRequestRecord } from '../../engine/engine.ts'
import type { Attempt, DeliveryRecord, StoredEvent, Webhook, Workspace } from '../../storage/rows.ts'
import { errorOf, hasResponse, requestOf, showBody } from '../shared/attempts.ts'
import type { Context, DialectContext } from '../shared/context.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { DeliverySchema, DeliveryWithRequestsSchema, EventSchema, WebhookSchema } from './schemas.ts'

type WebhookJson = Static<typeof WebhookSchema>
type DeliveryJson = Static<typeof DeliverySchema>

export function webhookJson(webhook: Webhook): WebhookJson {
  return {
    id: webhook.publicId,
    url: webhook.url,
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

export function deliveryJson(ctx: Context, workspace: Workspace, delivery: DeliveryRecord): DeliveryJson {
  const { ids } = ctx.engine
  const event = { id: delivery.eventId, broughtId: delivery.broughtEventId, createdAt: delivery.createdAt }
  return {
    id: ids.delivery(workspace, delivery),
    webhook_id: delivery.webhookPublicId,
    event_id: ids.event(workspace, event),
    event_type: delivery.eventType,
    // This dialect's policy never ends a delivery `dead`.
    status: delivery.status as DeliveryJson['status'],
    attempts: delivery.attempts.map(attemptJson),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
    created_at: isoTime(delivery.createdAt),
    finished_at: isoTimeOrNull(delivery.finishedAt),
  }
}

export function deliveryWithRequestsJson(
  ctx: DialectContext,
  workspace: Workspace,
  delivery: DeliveryRecord,
  requests: readonly SentRequestRecord[],
): Static<typeof DeliveryWithRequestsSchema> {
  const { attempts, ...members } = deliveryJson(ctx, workspace, delivery)
  return {
    ...members,
    attempts: attempts.map((attempt) => ({ ...attempt, request: requestOf(requests, attempt.number) })),
    request_body: requests[0]?.body ?? null,
  }
}

export function eventJson(
  ctx: DialectContext,
  workspace: Workspace,
  event: StoredEvent,
): Static<typeof EventSchema> {
  return { id: ctx.engine.ids.event(workspace, event), ...JSON.parse(event.body) }
}

function attemptJson(attempt: Attempt): DeliveryJson['attempts'][number] {
  return {
    number: attempt.number,
    trigger: attempt.trigger,
    started_at: isoTime(attempt.startedAt),
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: errorOf(attempt),
    response: hasResponse(attempt) ? responseJson(attempt) : null,
  }
}

function responseJson(attempt: Attempt) {
  const { body, encoding } = showBody(attempt.responseBody)
  return { content_type: attempt.contentType, body, body_encoding: encoding }
}
