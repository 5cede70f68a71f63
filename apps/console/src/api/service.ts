import type { DeliveryFilter, Page } from '../model/delivery.ts'
import type { Recovery, Replay, Service } from '../model/service.ts'
import type { WebhookChanges } from '../model/webhook.ts'
import type { WorkspaceEvent } from '../model/workspaceEvent.ts'
import { toAuditEntry } from './auditEntry.ts'
import { camelKeys, snakeKeys } from './camelKeys.ts'
import { deliveryOf } from './deliveryJson.ts'
import { featuresOf } from './features.ts'
import { operationalApi } from './operational.ts'
import { remainingOf } from './rateLimit.ts'
import { serviceApi } from './serviceApi.ts'
import type { ServiceDescription } from './serviceDescription.ts'
import { webhookOf } from './webhookJson.ts'

/** Webhooks per page. */
const PAGE = 100

/** The API client of any service, from its description. */
export function serviceOf(ws: string, description: ServiceDescription): Service {
  const api = serviceApi(ws, description)
  const { call } = api
  const features = featuresOf(description)
  const { resend } = features
  const isFlat = description.paths === 'flat'
  const deliveries = isFlat ? 'webhook-deliveries' : 'deliveries'
  const deliveryPath = (webhookId: string, id: string) =>
    isFlat ? [deliveries, id] : ['webhooks', webhookId, 'deliveries', id]
  const recoveryPath = (webhookId: string, id: string) =>
    isFlat ? [deliveries, 'recoveries', id] : ['webhooks', webhookId, 'recoveries', id]
  const toWebhook = (json: unknown) => webhookOf(json, description)
  const made = (json: unknown) => ({
    webhook: toWebhook(json),
    secret: camelKeys(json as { readonly signingSecret: string | null }).signingSecret,
  })
  const version = ({ json, response }: { readonly json: unknown; readonly response: Response }) => ({
    webhook: toWebhook(json),
    etag: response.headers.get('etag') ?? '',
  })
  const sent = ({ json, response }: { readonly json: unknown; readonly response: Response }) => ({
    delivery: deliveryOf(json),
    remaining: remainingOf(response),
  })
  const input = ({ eventTypes, warn, ...others }: WebhookChanges) => ({
    ...others,
    ...(eventTypes === undefined ? {} : { [description.words.types]: eventTypes }),
    ...(warn === undefined
      ? {}
      : { warn: warn === null || description.case === 'camel' ? warn : snakeKeys(warn) }),
  })
  return {
    name: description.name,
    features,
    async listWebhooks({ cursor, search, signal }) {
      const filter =
        search === undefined
          ? {}
          : { q: search.q ?? null, status: search.state ?? null, order: search.order ?? 'failing' }
      const { json } = await call('GET', ['webhooks'], { query: { limit: PAGE, cursor, ...filter }, signal })
      return pageOf(json, toWebhook)
    },
    async getWebhook({ id, signal }) {
      return version(await call('GET', ['webhooks', id], { signal }))
    },
    async createWebhook({ input: given, idempotencyKey }) {
      const headers = { 'idempotency-key': idempotencyKey }
      return made((await call('POST', ['webhooks'], { body: input(given), headers })).json)
    },
    async updateWebhook({ id, changes, etag }) {
      const headers: Record<string, string> = etag === null ? {} : { 'if-match': etag }
      return version(await call('PATCH', ['webhooks', id], { body: input(changes), headers }))
    },
    async deleteWebhook({ id }) {
      await call('DELETE', ['webhooks', id])
    },
    async rotateSecret({ id, idempotencyKey }) {
      const headers = { 'idempotency-key': idempotencyKey }
      return made((await call('POST', ['webhooks', id, 'rotate-secret'], { headers })).json)
    },
    async sendTest({ id, type }) {
      return sent(await call('POST', ['webhooks', id, 'test'], { body: type === null ? {} : { type } }))
    },
    async listDeliveries({ filter, cursor, limit, signal }) {
      const { json } = await call('GET', [deliveries], { query: { limit, ...filter, cursor }, signal })
      return pageOf(json, deliveryOf)
    },
    async listEvents({ filter, cursor, limit, signal }) {
      const query = { order: 'newest', limit, ...filter, after: cursor }
      return eventsOf((await call('GET', ['events'], { query, signal })).json)
    },
    async getDelivery({ webhookId, id, signal }) {
      return deliveryOf((await call('GET', deliveryPath(webhookId, id), { signal })).json)
    },
    async resend({ webhookId, id }) {
      if (resend === null) throw new Error('this service sends no delivery again')
      return sent(await call('POST', [...deliveryPath(webhookId, id), resend.operation]))
    },
    async retry({ webhookId, id }) {
      return sent(await call('POST', [...deliveryPath(webhookId, id), 'retry']))
    },
    async retryAll({ id }) {
      await call('POST', ['webhooks', id, 'retry'])
    },
    async countRecoverable({ id, filter, signal }) {
      const body = { ...filter, dryRun: true }
      return recoveryOf((await call('POST', ['webhooks', id, 'recover'], { body, signal })).json)
    },
    async recover({ id, filter, idempotencyKey }) {
      const headers = { 'idempotency-key': idempotencyKey }
      return recoveryOf(
        (await call('POST', ['webhooks', id, 'recover'], { body: { ...filter }, headers })).json,
      )
    },
    async getRecovery({ webhookId, id, signal }) {
      return recoveryOf((await call('GET', recoveryPath(webhookId, id), { signal })).json)
    },
    async cancelRecovery({ webhookId, id }) {
      return recoveryOf((await call('DELETE', recoveryPath(webhookId, id))).json)
    },
    async countReplayable(filter) {
      const { json } = await call('POST', [deliveries, 'replay'], {
        body: { ...replayed(filter), dryRun: true },
      })
      return camelKeys(json as { readonly total: number; readonly hasMore: boolean })
    },
    async startReplay({ filter, idempotencyKey }) {
      const headers = { 'idempotency-key': idempotencyKey }
      const { json } = await call('POST', [deliveries, 'replay'], { body: replayed(filter), headers })
      return camelKeys(json as Replay)
    },
    async getReplay({ id, signal }) {
      return camelKeys((await call('GET', [deliveries, 'replays', id], { signal })).json as Replay)
    },
    async listAudit({ cursor, limit, target, signal }) {
      const { json } = await call('GET', ['audit-log'], { query: { limit, cursor, target }, signal })
      return pageOf(json, toAuditEntry)
    },
    readDelivery: deliveryOf,
    operational: operationalApi(api, ws),
  }
}

function eventsOf(json: unknown): Page<WorkspaceEvent> {
  const { data, summaries, nextCursor, indexedUntil } = camelKeys(
    json as {
      readonly data: readonly object[]
      readonly summaries: readonly (Omit<WorkspaceEvent, 'json'> & object)[]
      readonly nextCursor: string | null
      readonly indexedUntil: string | null
    },
  )
  const items = summaries.map((summary, position) => ({ ...camelKeys(summary), json: data[position]! }))
  return { items, nextCursor, indexedUntil }
}

function recoveryOf(json: unknown): Recovery {
  const recovery = camelKeys(json as Recovery)
  return { ...recovery, missed: camelKeys(recovery.missed) }
}

/** The filters that a replay supports. */
const replayed = ({ webhookId, eventType, from, to }: DeliveryFilter) => ({ webhookId, eventType, from, to })

function pageOf<Item>(json: unknown, read: (item: unknown) => Item) {
  const { data, nextCursor, indexedUntil } = camelKeys(
    json as {
      readonly data: readonly unknown[]
      readonly nextCursor: string | null
      readonly indexedUntil?: string | null
    },
  )
  return { items: data.map(read), nextCursor, indexedUntil }
}
