import type { components } from '../../../../packages/client/src/generated/ads.ts'
import type { Attempt, Delivery, DeliveryFilter } from '../model/delivery.ts'
import type { Service } from '../model/service.ts'
import type { Webhook } from '../model/webhook.ts'
import { adsApi } from './clients.ts'
import { answer, unwrap } from './send.ts'
import { webhookOf } from './webhookJson.ts'

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
    async createWebhook({ input: { eventTypes, ...input }, idempotencyKey }) {
      const made = await unwrap(
        api.POST('/api/v1/webhooks', {
          params: { header: { 'idempotency-key': idempotencyKey } },
          body: { ...input, ...typesOf(eventTypes) },
        }),
      )
      return { webhook: toWebhook(made), secret: made.signingSecret }
    },
    async updateWebhook({ id, changes: { eventTypes, ...changes }, etag }) {
      const call = api.PATCH('/api/v1/webhooks/{id}', {
        params: { path: { id }, header: etag === null ? {} : { 'if-match': etag } },
        body: { ...changes, ...(eventTypes === undefined ? {} : typesOf(eventTypes)) },
      })
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

/** An endpoint is never switched off; only a suspended workspace pauses it. */
const toWebhook = (json: Schemas['Endpoint']): Webhook =>
  webhookOf(json, { eventTypes: json.types, state: { kind: 'on' } })

const toDelivery = (
  json: Schemas['EndpointDelivery'] | Schemas['EndpointDeliveryWithRequests'],
): Delivery => ({ requestBody: null, ...json, attempts: json.attempts.map(toAttempt) })

const toAttempt = (json: Schemas['Attempt'] | Schemas['AttemptWithRequest']): Attempt => ({
  request: null,
  ...json,
})

const typesOf = (eventTypes: readonly string[]) => ({ types: [...eventTypes] as Schemas['EventType'][] })
