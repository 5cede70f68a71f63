import type { components } from '../../../../packages/client/src/generated/content.ts'
import type { Attempt, Delivery, DeliveryFilter } from '../model/delivery.ts'
import type { Service } from '../model/service.ts'
import type { Webhook } from '../model/webhook.ts'
import { toAuditEntry } from './auditEntry.ts'
import { camelKeys } from './camelKeys.ts'
import { contentApi } from './clients.ts'
import { remainingOf } from './rateLimit.ts'
import { answer, unwrap } from './send.ts'
import { stateOf, webhookOf } from './webhookJson.ts'

type Schemas = components['schemas']

/** The content workflow service: webhooks that can be paused and tested, deliveries that can be redelivered. */
export function contentService(ws: string): Service {
  const api = contentApi
  return {
    dialect: 'content',
    features: {
      noun: 'webhook',
      area: 'Integrations',
      canPause: true,
      canTest: true,
      canTakeAllTypes: false,
      resend: 'redeliver',
      canReplayMany: false,
      statuses: ['failed', 'pending', 'delivered', 'canceled'],
      eventsPath: (slug) => `/v1/workspaces/${slug}/events`,
      scheme: 'standard',
    },
    async listWebhooks({ cursor, signal = null }) {
      const query = { limit: 100, ...(cursor === null ? {} : { cursor }) }
      const page = await unwrap(
        api.GET('/v1/workspaces/{ws}/webhooks', { params: { path: { ws }, query }, signal }),
      )
      return { items: page.data.map(toWebhook), nextCursor: page.next_cursor }
    },
    async getWebhook({ id, signal = null }) {
      const call = api.GET('/v1/workspaces/{ws}/webhooks/{id}', { params: { path: { ws, id } }, signal })
      const { data, response } = await answer(call)
      return { webhook: toWebhook(data), etag: response.headers.get('etag') ?? '' }
    },
    async createWebhook({ input: { eventTypes, ...input }, idempotencyKey }) {
      const made = await unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks', {
          params: { path: { ws }, header: { 'idempotency-key': idempotencyKey } },
          body: { ...input, ...eventsOf(eventTypes) },
        }),
      )
      return { webhook: toWebhook(made), secret: made.signing_secret }
    },
    async updateWebhook({ id, changes: { eventTypes, ...changes }, etag }) {
      const call = api.PATCH('/v1/workspaces/{ws}/webhooks/{id}', {
        params: { path: { ws, id }, header: etag === null ? {} : { 'if-match': etag } },
        body: { ...changes, ...(eventTypes === undefined ? {} : eventsOf(eventTypes)) },
      })
      const { data, response } = await answer(call)
      return { webhook: toWebhook(data), etag: response.headers.get('etag') ?? '' }
    },
    async deleteWebhook({ id }) {
      await unwrap(api.DELETE('/v1/workspaces/{ws}/webhooks/{id}', { params: { path: { ws, id } } }))
    },
    async rotateSecret({ id, idempotencyKey }) {
      const made = await unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/rotate-secret', {
          params: { path: { ws, id }, header: { 'idempotency-key': idempotencyKey } },
        }),
      )
      return { webhook: toWebhook(made), secret: made.signing_secret }
    },
    async sendTest({ id }) {
      const { data, response } = await answer(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/test', { params: { path: { ws, id } } }),
      )
      return { delivery: toDelivery(data), remaining: remainingOf(response) }
    },
    async listDeliveries({ filter, cursor, limit, signal = null }) {
      const query = { limit, ...filterQuery(filter), ...(cursor === null ? {} : { cursor }) }
      const page = await unwrap(
        api.GET('/v1/workspaces/{ws}/deliveries', { params: { path: { ws }, query }, signal }),
      )
      return { items: page.data.map(toDelivery), nextCursor: page.next_cursor }
    },
    async getDelivery({ webhookId, id, signal = null }) {
      const path = { ws, id: webhookId, did: id }
      return toDelivery(
        await unwrap(
          api.GET('/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}', { params: { path }, signal }),
        ),
      )
    },
    async resend({ webhookId, id }) {
      const path = { ws, id: webhookId, did: id }
      const { data, response } = await answer(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}/redeliver', { params: { path } }),
      )
      return { delivery: toDelivery(data), remaining: remainingOf(response) }
    },
    countReplayable: noReplays,
    startReplay: noReplays,
    getReplay: noReplays,
    async listAudit({ cursor, limit, target, signal = null }) {
      const query = {
        limit,
        ...(cursor === null ? {} : { cursor }),
        ...(target === null ? {} : { target }),
      }
      const page = await unwrap(
        api.GET('/v1/workspaces/{ws}/audit-log', { params: { path: { ws }, query }, signal }),
      )
      return { items: page.data.map(toAuditEntry), nextCursor: page.next_cursor }
    },
    readDelivery: (json) => toDelivery(json as Schemas['Delivery']),
  }
}

const noReplays = () => Promise.reject(new Error('the content service has no replays of many deliveries'))

function filterQuery({ webhookId, status, eventType, eventId, statusCode, from, to }: DeliveryFilter) {
  return {
    ...(webhookId === undefined ? {} : { webhook_id: webhookId }),
    ...(status === undefined ? {} : { status: status as Schemas['Delivery']['status'] }),
    ...(eventType === undefined ? {} : { event_type: eventType as Schemas['KnownEventType'] }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
    ...(statusCode === undefined ? {} : { status_code: statusCode }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}

const toWebhook = (json: Schemas['Webhook']): Webhook =>
  webhookOf(camelKeys(json), { eventTypes: json.events, state: stateOf(json) })

const toDelivery = (json: Schemas['Delivery'] | Schemas['DeliveryWithRequests']): Delivery => ({
  requestBody: null,
  ...camelKeys(json),
  attempts: json.attempts.map(toAttempt),
})

const toAttempt = (json: Schemas['Attempt'] | Schemas['AttemptWithRequest']): Attempt => ({
  request: null,
  ...camelKeys(json),
  response: json.response === null ? null : camelKeys(json.response),
})

const eventsOf = (eventTypes: readonly string[]) => ({ events: [...eventTypes] as Schemas['EventType'][] })
