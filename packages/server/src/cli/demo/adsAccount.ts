import { adsCatalog } from '../../dialects/ads/catalog/index.ts'
import { ids } from '../../dialects/ads/catalog/world.ts'
import type { Account, Keys, LoggedDelivery, Workspace } from './account.ts'
import { Api } from './api.ts'
import { curlOf } from './curl.ts'

interface DeliveryJson {
  readonly id: string
  readonly eventId: string
  readonly eventType: string
  readonly status: string
  readonly nextAttemptAt: string | null
  readonly attempts: readonly {
    readonly trigger: string
    readonly startedAt: string
    readonly durationMs: number
    readonly statusCode: number | null
    readonly error: { readonly code: string } | null
  }[]
}

const EVENTS = '/api/v1/events'
const WEBHOOKS = '/api/v1/webhooks'
const DELIVERIES = '/api/v1/webhook-deliveries'
/** Deliveries that are looked at again while a run goes on. */
const RECENT = 100

export function adsAccount(baseUrl: string, workspace: Workspace, keys: Keys): Account {
  const publisher = new Api(baseUrl, keys.publish)
  const manager = new Api(baseUrl, keys.manage)
  const delivered = new Map<string, LoggedDelivery>()
  return {
    service: 'ads',
    workspace: workspace.name,
    curl: curlOf(baseUrl + EVENTS, keys.publish, {
      type: 'campaign.status_changed.v1',
      entityType: 'campaign',
      entityId: ids.campaign,
      payload: { from: 'paused', to: 'active' },
    }),
    async register({ url, types, description }) {
      const body = { url, types: types === 'all' ? [] : types, description }
      const endpoint = await manager.post<{ id: string; signingSecret: string }>(WEBHOOKS, body)
      return { id: endpoint.id, secret: endpoint.signingSecret }
    },
    async publish({ type, who: entityId, data: payload }) {
      const { entityType } = adsCatalog.get(type)!
      const occurredAt = new Date().toISOString()
      const event = { type, entityType, entityId, payload, occurredAt }
      const { id } = await publisher.post<{ id: string }>(EVENTS, event)
      return { id, type, envelope: { id, workspaceId: workspace.id, ...event } }
    },
    async deliveries(_webhookId, seen, extent) {
      // This log is read by delivery, and a delivery is known by the id that its requests carry. Delivered ones
      // never change again.
      const wanted = extent === 'whole' ? seen : seen.slice(-RECENT).filter((id) => !delivered.has(id))
      const read = await Promise.all(
        wanted.map(async (id) => loggedDelivery(await manager.get<DeliveryJson>(`${DELIVERIES}/${id}`))),
      )
      const known = extent === 'whole' ? [] : seen.flatMap((id) => delivered.get(id) ?? [])
      for (const delivery of read) if (delivery.status === 'delivered') delivered.set(delivery.id, delivery)
      return [...known, ...read]
    },
    async state(webhookId) {
      // An endpoint of this service has no state: there it is on. This fails when it is gone.
      await manager.get(`${WEBHOOKS}/${webhookId}`)
      return 'on'
    },
    async sendAgain(_webhookId, deliveryId) {
      await manager.post(`${DELIVERIES}/${deliveryId}/replay`)
    },
  }
}

function loggedDelivery(json: DeliveryJson): LoggedDelivery {
  return {
    id: json.id,
    eventId: json.eventId,
    eventType: json.eventType,
    status: json.status,
    nextAttemptAt: json.nextAttemptAt === null ? null : Date.parse(json.nextAttemptAt),
    attempts: json.attempts.map(({ trigger, startedAt, durationMs, statusCode, error }) => ({
      trigger,
      startedAt: Date.parse(startedAt),
      durationMs,
      statusCode,
      errorCode: error?.code ?? null,
    })),
  }
}
