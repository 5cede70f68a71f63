import type { components } from '../../../../packages/client/src/generated/ads.ts'
import type { Attempt, Delivery, DeliveryFilter } from '../model/delivery.ts'
import type { Service } from '../model/service.ts'
import type { Webhook } from '../model/webhook.ts'
import { adsApi } from './clients.ts'
import { answer, unwrap } from './send.ts'

type Schemas = components['schemas']

/** The advertising platform: endpoints, and dead deliveries that are replayed one by one or many at once. */
export function adsService(ws: string): Service {
  const api = adsApi(ws)
  return {
    dialect: 'ads',
    features: {
      noun: 'endpoint',
      area: 'Endpoints',
      canPause: false,
      canTest: false,
      canTakeAllTypes: true,
      resend: 'replay',
      canReplayMany: true,
      statuses: ['dead', 'pending', 'delivered', 'canceled'],
      eventsPath: () => '/api/v1/events',
      scheme: 'hex',
    },
    async listWebhooks({ cursor, signal = null }) {
      const query = { limit: 100, ...(cursor === null ? {} : { cursor }) }
      const page = await unwrap(api.GET('/api/v1/webhooks', { params: { query }, signal }))
      return { items: page.data.map(toWebhook), nextCursor: page.nextCursor }
    },
    async getWebhook({ id, signal = null }) {
      const { data, response } = await answer(
        api.GET('/api/v1/webhooks/{id}', { params: { path: { id } }, signal }),
      )
      return { webhook: toWebhook(data), etag: response.headers.get('etag') ?? '' }
    },
    async createWebhook({ input: { url, eventTypes, description }, idempotencyKey }) {
      const made = await unwrap(
        api.POST('/api/v1/webhooks', {
          params: { header: { 'idempotency-key': idempotencyKey } },
          body: { url, types: [...eventTypes] as Schemas['EventType'][], description },
        }),
      )
      return { webhook: toWebhook(made), secret: made.signingSecret }
    },
    async updateWebhook({ id, changes: { url, eventTypes, description }, etag }) {
      const body = {
        ...(url === undefined ? {} : { url }),
        ...(eventTypes === undefined ? {} : { types: [...eventTypes] as Schemas['EventType'][] }),
        ...(description === undefined ? {} : { description }),
      }
      const header = etag === null ? {} : { 'if-match': etag }
      const call = api.PATCH('/api/v1/webhooks/{id}', { params: { path: { id }, header }, body })
      const { data, response } = await answer(call)
      return { webhook: toWebhook(data), etag: response.headers.get('etag') ?? '' }
    },
    async deleteWebhook({ id }) {
      await unwrap(api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } }))
    },
    async rotateSecret({ id, idempotencyKey }) {
      const made = await unwrap(
        api.POST('/api/v1/webhooks/{id}/rotate-secret', {
          params: { path: { id }, header: { 'idempotency-key': idempotencyKey } },
        }),
      )
      return { webhook: toWebhook(made), secret: made.signingSecret }
    },
    sendTest: () => Promise.reject(new Error('the advertising platform has no test events')),
    async listDeliveries({ filter, cursor, limit, signal = null }) {
      const query = { limit, ...filterQuery(filter), ...(cursor === null ? {} : { cursor }) }
      const page = await unwrap(api.GET('/api/v1/webhook-deliveries', { params: { query }, signal }))
      return { items: page.data.map(toDelivery), nextCursor: page.nextCursor }
    },
    async getDelivery({ id, signal = null }) {
      return toDelivery(
        await unwrap(api.GET('/api/v1/webhook-deliveries/{id}', { params: { path: { id } }, signal })),
      )
    },
    async resend({ id }) {
      const replayed = await unwrap(
        api.POST('/api/v1/webhook-deliveries/{id}/replay', { params: { path: { id } } }),
      )
      return { delivery: toDelivery(replayed), remaining: null }
    },
    async countReplayable(filter) {
      const counted = await unwrap(
        api.POST('/api/v1/webhook-deliveries/replay', { body: { ...given(filter), dryRun: true } }),
      )
      if (!('hasMore' in counted)) throw new Error('a dry run was answered with a replay')
      return counted
    },
    async startReplay({ filter, idempotencyKey }) {
      const started = await unwrap(
        api.POST('/api/v1/webhook-deliveries/replay', {
          params: { header: { 'idempotency-key': idempotencyKey } },
          body: given(filter),
        }),
      )
      if (!('id' in started)) throw new Error('a replay was answered with a count')
      return started
    },
    async getReplay({ id, signal = null }) {
      return await unwrap(
        api.GET('/api/v1/webhook-deliveries/replays/{id}', { params: { path: { id } }, signal }),
      )
    },
    async listAudit({ cursor, limit, target, signal = null }) {
      const query = {
        limit,
        ...(cursor === null ? {} : { cursor }),
        ...(target === null ? {} : { target }),
      }
      const page = await unwrap(api.GET('/api/v1/audit-log', { params: { query }, signal }))
      return { items: page.data, nextCursor: page.nextCursor }
    },
    readDelivery: (json) => toDelivery(json as Schemas['EndpointDelivery']),
  }
}

/** Only the filters that are set. */
function given({ webhookId, eventType, from, to }: DeliveryFilter) {
  return {
    ...(webhookId === undefined ? {} : { webhookId }),
    ...(eventType === undefined ? {} : { eventType: eventType as Schemas['EventType'] }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}

function filterQuery(filter: DeliveryFilter) {
  const { status, eventId, statusCode } = filter
  return {
    ...given(filter),
    ...(status === undefined ? {} : { status: status as Schemas['EndpointDelivery']['status'] }),
    ...(eventId === undefined ? {} : { eventId }),
    ...(statusCode === undefined ? {} : { statusCode }),
  }
}

const toWebhook = (json: Schemas['Endpoint']): Webhook => ({
  id: json.id,
  url: json.url,
  eventTypes: json.types,
  description: json.description,
  // An endpoint is never switched off; only a suspended workspace pauses it.
  status: 'on',
  offReason: null,
  failingSince: null,
  createdAt: json.createdAt,
  updatedAt: json.updatedAt,
})

function toDelivery(json: Schemas['EndpointDelivery'] | Schemas['EndpointDeliveryWithRequests']): Delivery {
  const { id, webhookId, eventId, eventType, status, cancelReason, nextAttemptAt, createdAt, finishedAt } =
    json
  return {
    ...{ id, webhookId, eventId, eventType, status, cancelReason, nextAttemptAt, createdAt, finishedAt },
    attempts: json.attempts.map(toAttempt),
    requestBody: 'requestBody' in json ? json.requestBody : null,
  }
}

const toAttempt = (json: Schemas['Attempt'] | Schemas['AttemptWithRequest']): Attempt => ({
  number: json.number,
  trigger: json.trigger,
  startedAt: json.startedAt,
  durationMs: json.durationMs,
  statusCode: json.statusCode,
  error: json.error,
  response:
    json.response === null
      ? null
      : {
          contentType: json.response.contentType,
          body: json.response.body,
          encoding: json.response.bodyEncoding,
        },
  request: 'request' in json ? json.request : null,
})
