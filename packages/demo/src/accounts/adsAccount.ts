import type { Catalogs } from '../service.ts'
import { CAMPAIGN } from '../story/story.ts'
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

interface PageJson {
  readonly data: readonly DeliveryJson[]
  readonly nextCursor: string | null
}

const EVENTS = '/api/v1/events'
const WEBHOOKS = '/api/v1/webhooks'
const DELIVERIES = '/api/v1/webhook-deliveries'

export function adsAccount(
  baseUrl: string,
  workspace: Workspace,
  keys: Keys,
  catalog: Catalogs['ads'],
): Account {
  const publisher = new Api(baseUrl, keys.publish)
  const manager = new Api(baseUrl, keys.manage)
  return {
    service: 'ads',
    workspace: workspace.name,
    curl: curlOf(baseUrl + EVENTS, keys.publish, {
      type: 'campaign.status_changed.v1',
      entityType: 'campaign',
      entityId: CAMPAIGN,
      payload: { from: 'paused', to: 'active' },
    }),
    async register({ url, types, description }) {
      const body = { url, types: types === 'all' ? [] : types, description }
      const endpoint = await manager.post<{ id: string; signingSecret: string }>(WEBHOOKS, body)
      return { id: endpoint.id, secret: endpoint.signingSecret }
    },
    async publish({ type, who: entityId, changes }) {
      const { members, example } = catalog.get(type)!
      const payload = { ...example, ...changes }
      const occurredAt = new Date().toISOString()
      const event = { type, ...members, entityId, payload, occurredAt }
      const { id } = await publisher.post<{ id: string }>(EVENTS, event)
      return { id, type, envelope: { id, workspaceId: workspace.id, ...event } }
    },
    async deliveries(webhookId, extent) {
      const found: LoggedDelivery[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = `webhookId=${webhookId}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
        const json: PageJson = await manager.get(`${DELIVERIES}?${query}`)
        found.push(...json.data.map(loggedDelivery))
        cursor = extent === 'whole' ? json.nextCursor : null
      }
      return found
    },
    async state(webhookId) {
      // Endpoints of this service have no state: one that exists is enabled. The call fails when it is gone.
      await manager.get(`${WEBHOOKS}/${webhookId}`)
      return 'enabled'
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
