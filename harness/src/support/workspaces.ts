import type { SchemeName } from '@posthorn/receiver'
import { Api } from './http.ts'
import { ADMIN_TOKEN } from './posthorn.ts'

export interface NewEvent {
  readonly type: string
  /** The publisher's id; without it the service creates one. */
  readonly id?: string
  /** `data` or `payload`. */
  readonly content: Readonly<Record<string, unknown>>
  /** Ads only. */
  readonly entity?: { readonly type: string; readonly id: string }
}

interface CreatedWebhook {
  readonly id: string
  readonly secret: string
  /** Of services that sign with key pairs. */
  readonly publicKey: string | null
}

interface LoggedAttempt {
  readonly number: number
  /** Its trigger, such as `schedule`. */
  readonly trigger: string
  readonly statusCode: number | null
  readonly error: { readonly code: string } | null
}

/** An entry of the delivery log, in the naming that both services share. */
export interface LoggedDelivery {
  readonly id: string
  readonly eventId: string
  readonly status: string
  readonly attempts: readonly LoggedAttempt[]
}

/** One workspace as its service and its owner use it, the same for both services. */
export interface WorkspaceClient {
  readonly id: string
  readonly key: string
  readonly scheme: SchemeName
  readonly publishPath: string
  /** @returns the ids of the accepted events */
  publish(events: readonly NewEvent[]): Promise<string[]>
  createWebhook(url: string, types: readonly string[]): Promise<CreatedWebhook>
  /** The base path of operations on one webhook. */
  webhookPath(webhookId: string): string
  /** The path of a recovery's progress. */
  recoveryPath(webhookId: string, recoveryId: string): string
  /** The whole log of a webhook, newest first. */
  deliveries(webhookId: string): Promise<LoggedDelivery[]>
}

export type DialectName = 'content' | 'ads'

const SCOPES: Readonly<Record<DialectName, readonly string[]>> = {
  content: ['webhooks', 'generations:read', 'events:write'],
  ads: ['webhooks', 'events:write'],
}

const scopesOf = (dialect: string) =>
  dialect === 'content' || dialect === 'ads' ? SCOPES[dialect] : ['webhooks', 'events:write']

/**
 * Provisions a workspace and a key with all its rights.
 * @param dialect a built-in service, or another whose API is like that of content
 */
export async function createWorkspace(
  baseUrl: () => string,
  dialect: DialectName | (string & {}),
  slug: string,
  name = `Workspace ${slug}`,
): Promise<WorkspaceClient> {
  const api = new Api(baseUrl)
  const { id } = await api.post<{ id: string }>('/admin/v1/workspaces', {
    token: ADMIN_TOKEN,
    body: { dialect, slug, name },
  })
  const { key } = await api.post<{ key: string }>(`/admin/v1/workspaces/${id}/keys`, {
    token: ADMIN_TOKEN,
    body: { name: 'publisher', scopes: scopesOf(dialect) },
  })
  return dialect === 'ads' ? adsClient(api, id, key) : contentClient(api, id, key)
}

interface PublishedBatch {
  readonly events: readonly { readonly id: string }[]
}

const idsOf = ({ events }: PublishedBatch) => events.map((event) => event.id)

interface ContentEntry {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempts: readonly {
    readonly number: number
    readonly trigger: string
    readonly status_code: number | null
    readonly error: LoggedAttempt['error']
  }[]
}

const fromContent = ({ event_id, attempts, ...entry }: ContentEntry): LoggedDelivery => ({
  ...entry,
  eventId: event_id,
  attempts: attempts.map(({ status_code, ...attempt }) => ({ ...attempt, statusCode: status_code })),
})

function contentClient(api: Api, id: string, key: string): WorkspaceClient {
  const base = `/v1/workspaces/${id}`
  const publishPath = `${base}/events/batch`
  return {
    id,
    key,
    scheme: 'standard',
    publishPath,
    async publish(events) {
      const body = { events: events.map(({ content, ...event }) => ({ ...event, data: content })) }
      return idsOf(await api.post<PublishedBatch>(publishPath, { token: key, body }))
    },
    async createWebhook(url, types) {
      const created = await api.post<{ id: string; signing_secret: string; public_key?: string }>(
        `${base}/webhooks`,
        {
          token: key,
          body: { url, events: types },
        },
      )
      return { id: created.id, secret: created.signing_secret, publicKey: created.public_key ?? null }
    },
    webhookPath: (webhookId) => `${base}/webhooks/${webhookId}`,
    recoveryPath: (webhookId, id) => `${base}/webhooks/${webhookId}/recoveries/${id}`,
    async deliveries(webhookId) {
      const path = `${base}/webhooks/${webhookId}/deliveries?limit=100`
      return (await readAll<ContentEntry>(api, key, path)).map(fromContent)
    },
  }
}

function adsClient(api: Api, id: string, key: string): WorkspaceClient {
  const publishPath = '/api/v1/events/batch'
  return {
    id,
    key,
    scheme: 'service',
    publishPath,
    async publish(events) {
      const body = {
        events: events.map(({ content, entity, ...event }) => ({
          ...event,
          entityType: entity?.type,
          entityId: entity?.id,
          payload: content,
        })),
      }
      return idsOf(await api.post<PublishedBatch>(publishPath, { token: key, body }))
    },
    async createWebhook(url, types) {
      const created = await api.post<{ id: string; signingSecret: string }>('/api/v1/webhooks', {
        token: key,
        body: { url, types },
      })
      return { id: created.id, secret: created.signingSecret, publicKey: null }
    },
    webhookPath: (webhookId) => `/api/v1/webhooks/${webhookId}`,
    recoveryPath: (_, id) => `/api/v1/webhook-deliveries/recoveries/${id}`,
    deliveries: (webhookId) =>
      readAll<LoggedDelivery>(api, key, `/api/v1/webhook-deliveries?webhookId=${webhookId}&limit=100`),
  }
}

interface ListPage<T> {
  readonly data: readonly T[]
  /** In the naming of the content service, and of the ads service. */
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
}

async function readAll<T>(api: Api, token: string, path: string): Promise<T[]> {
  const all: T[] = []
  let cursor: string | null = null
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: ListPage<T> = await api.get(`${path}${from}`, { token })
    all.push(...page.data)
    cursor = page.next_cursor ?? page.nextCursor ?? null
  } while (cursor !== null)
  return all
}
