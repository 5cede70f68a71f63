import type { Catalogs } from '../service.ts'
import type { Account, Keys, LoggedDelivery, Workspace } from './account.ts'
import { Api } from './api.ts'
import { curlOf } from './curl.ts'

interface DeliveryJson {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly status: string
  readonly next_attempt_at: string | null
  readonly attempts: readonly {
    readonly trigger: string
    readonly started_at: string
    readonly duration_ms: number
    readonly status_code: number | null
    readonly error: { readonly code: string } | null
  }[]
}

interface PageJson {
  readonly data: readonly DeliveryJson[]
  readonly next_cursor: string | null
}

/** As people say it; others are the same. */
const STATES: Readonly<Record<string, string>> = { on: 'enabled', off: 'disabled' }

export function contentAccount(
  baseUrl: string,
  workspace: Workspace,
  keys: Keys,
  catalog: Catalogs['content'],
): Account {
  const publisher = new Api(baseUrl, keys.publish)
  const manager = new Api(baseUrl, keys.manage)
  const events = `/v1/workspaces/${workspace.slug}/events`
  const webhooks = `/v1/workspaces/${workspace.slug}/webhooks`
  return {
    service: 'content',
    workspace: workspace.name,
    curl: curlOf(baseUrl + events, keys.publish, {
      type: 'schedule.cancel_required',
      data: { subject_id: 'sch_by_hand' },
    }),
    async register({ url, types, description }) {
      const body = { url, events: types === 'all' ? allTypes(catalog) : types, description }
      const webhook = await manager.post<{ id: string; signing_secret: string }>(webhooks, body)
      return { id: webhook.id, secret: webhook.signing_secret }
    },
    async publish({ type, who, changes }) {
      const data = { ...catalog.get(type)!.example, ...changes }
      const timestamp = new Date().toISOString()
      const links = { app: `https://app.contentflow.example/${workspace.slug}` }
      const { id } = await publisher.post<{ id: string }>(events, {
        type,
        data,
        actor_id: who,
        links,
        timestamp,
      })
      const { slug, name } = workspace
      const about = { workspace: { id: workspace.id, slug, name }, actor_id: who, links }
      return { id, type, envelope: { type, timestamp, data: { ...about, ...data } } }
    },
    async deliveries(webhookId, extent) {
      const found: LoggedDelivery[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const query = `limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
        const json: PageJson = await manager.get(`${webhooks}/${webhookId}/deliveries?${query}`)
        found.push(...json.data.map(loggedDelivery))
        cursor = extent === 'whole' ? json.next_cursor : null
      }
      return found
    },
    async state(webhookId) {
      const webhook = await manager.get<{ status: string; off_reason: string | null }>(
        `${webhooks}/${webhookId}`,
      )
      const state = STATES[webhook.status] ?? webhook.status
      return webhook.off_reason === null ? state : `${state} (${webhook.off_reason})`
    },
    async sendAgain(webhookId, deliveryId) {
      await manager.post(`${webhooks}/${webhookId}/deliveries/${deliveryId}/redeliver`)
    },
  }
}

/** This service has no subscription to everything: each type is named. */
function allTypes(catalog: Catalogs['content']): string[] {
  return [...catalog].flatMap(([type, { subscribable }]) => (subscribable ? [type] : []))
}

function loggedDelivery(json: DeliveryJson): LoggedDelivery {
  return {
    id: json.id,
    eventId: json.event_id,
    eventType: json.event_type,
    status: json.status,
    nextAttemptAt: json.next_attempt_at === null ? null : Date.parse(json.next_attempt_at),
    attempts: json.attempts.map((attempt) => ({
      trigger: attempt.trigger,
      startedAt: Date.parse(attempt.started_at),
      durationMs: attempt.duration_ms,
      statusCode: attempt.status_code,
      errorCode: attempt.error?.code ?? null,
    })),
  }
}
