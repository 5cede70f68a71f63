import type { Static } from 'typebox'
import type { Attempt, DeliveryRecord, Webhook, Workspace } from '../../storage/rows.ts'
import { errorOf, hasResponse, showBody } from '../shared/attempts.ts'
import type { DialectContext } from '../shared/context.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import type { EndpointDeliverySchema, EndpointSchema } from './schemas.ts'

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

export function deliveryJson(
  ctx: DialectContext,
  workspace: Workspace,
  delivery: DeliveryRecord,
): DeliveryJson {
  const { ids } = ctx.engine
  const event = { id: delivery.eventId, broughtId: delivery.broughtEventId, createdAt: delivery.createdAt }
  return {
    id: ids.delivery(workspace, delivery),
    webhookId: delivery.webhookPublicId,
    eventId: ids.event(workspace, event),
    eventType: delivery.eventType,
    // This dialect's policy never ends a delivery `failed`.
    status: delivery.status as DeliveryJson['status'],
    attempts: delivery.attempts.map(attemptJson),
    nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
    createdAt: isoTime(delivery.createdAt),
    finishedAt: isoTimeOrNull(delivery.finishedAt),
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
