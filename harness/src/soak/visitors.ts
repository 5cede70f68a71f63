import { setTimeout as sleep } from 'node:timers/promises'
import { EVENTS } from '../support/events.ts'
import { type Api, readStreamFor } from '../support/http.ts'
import { ADMIN_TOKEN } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import type { WorkspaceClient } from '../support/workspaces.ts'
import type { SoakReceiver } from './soakReceiver.ts'

export interface VisitorsParams {
  readonly api: Api
  readonly url: string
  readonly workspace: WorkspaceClient
  readonly receiver: SoakReceiver
  /** A webhook whose deliveries are redelivered. */
  readonly webhookId: string
}

interface Page {
  readonly ack: string
  readonly events: readonly unknown[]
}

interface ShownDeliveries {
  readonly data: readonly { readonly id: string }[]
}

const LIST_EVERY_MS = 1_000
const VISIT_EVERY_MS = 2_000
/** Redeliveries and the like are limited to ten a minute for each workspace. */
const REDELIVER_EVERY_MS = 8_000
const STREAM_MS = 4_000
const RECEIVED_WITHIN_MS = 60_000

/** People and programs that come and go: each kind of visit repeats until the end, one at a time. */
export class Visitors {
  /** Number of completed visits by kind. */
  readonly visits: Record<string, number> = {}
  readonly failures: string[] = []
  readonly #params: VisitorsParams
  readonly #end = new AbortController()
  readonly #work: Promise<unknown>
  #number = 0

  /** @param member who looks at the console */
  constructor(params: VisitorsParams, member: string) {
    this.#params = params
    this.#work = Promise.all([
      this.#again('console lists', LIST_EVERY_MS, () => this.#lookAtConsole(member)),
      this.#again('live views', VISIT_EVERY_MS, () => this.#watchLive(member)),
      this.#again('consumers', VISIT_EVERY_MS, () => this.#consume()),
      this.#again('webhooks created and deleted', VISIT_EVERY_MS, () => this.#passWebhook()),
      this.#again('redeliveries', REDELIVER_EVERY_MS, () => this.#redeliver()),
      this.#again('readings of the status', LIST_EVERY_MS, () => this.#lookAtStatus()),
    ])
  }

  /** Resolves when the current visits have ended. */
  async stop(): Promise<void> {
    this.#end.abort()
    await this.#work
  }

  async #again(kind: string, everyMs: number, visit: () => Promise<void>): Promise<void> {
    this.visits[kind] = 0
    while (!this.#end.signal.aborted) {
      try {
        await visit()
        this.visits[kind] += 1
      } catch (error) {
        this.failures.push(`${kind}: ${error}`)
      }
      await sleep(everyMs, undefined, { signal: this.#end.signal }).catch(() => undefined)
    }
  }

  async #lookAtConsole(member: string): Promise<void> {
    const { api, workspace, webhookId } = this.#params
    const { token } = await api.post<{ token: string }>(
      `/admin/v1/workspaces/${workspace.id}/members/${member}/sessions`,
      { token: ADMIN_TOKEN, body: { minutes: 1 } },
    )
    const console = `/console/v1/workspaces/${workspace.id}`
    for (const path of [
      `${console}/overview`,
      `${console}/webhook-summaries`,
      `${console}/stats?webhook_id=${webhookId}`,
      `/v1/workspaces/${workspace.id}/deliveries?limit=50`,
      `/v1/workspaces/${workspace.id}/deliveries?limit=50&status=failed`,
      `/v1/workspaces/${workspace.id}/events?limit=50`,
    ])
      await api.get(path, { token })
  }

  async #watchLive(member: string): Promise<void> {
    const { api, url, workspace } = this.#params
    const { token } = await api.post<{ token: string }>(
      `/admin/v1/workspaces/${workspace.id}/members/${member}/sessions`,
      { token: ADMIN_TOKEN, body: { minutes: 1 } },
    )
    await readStream(`${url}/console/v1/workspaces/${workspace.id}/deliveries/live`, token)
  }

  /** Reads as a poller, then as a stream, and leaves. */
  async #consume(): Promise<void> {
    const { api, url, workspace } = this.#params
    const { key: token } = workspace
    const all = `/v1/workspaces/${workspace.id}/consumers`
    const name = `visitor-${this.#number++}`
    await api.post(all, { token, body: { name } })
    const { ack, events } = await api.get<Page>(`${all}/${name}/events?wait=10&limit=20`, { token })
    if (events.length === 0) throw new Error('no event within 10 s')
    await api.post(`${all}/${name}/ack`, { token, body: { ack } })
    await readStream(`${url}${all}/${name}/stream`, token)
    await api.delete(`${all}/${name}`, { token })
  }

  /** A webhook that is created, gets an event and is deleted. */
  async #passWebhook(): Promise<void> {
    const { api, workspace, receiver } = this.#params
    const path = `/passing-${this.#number++}`
    const id = await receiver.hook(workspace, {
      path,
      dialect: 'content',
      behavior: { kind: 'prompt' },
      types: [EVENTS.content.common],
    })
    try {
      await eventually(async () => (await receiver.count(path)) > 0 || null, {
        withinMs: RECEIVED_WITHIN_MS,
        everyMs: 500,
        what: 'an event for a new webhook',
      })
    } finally {
      await api.delete(workspace.webhookPath(id), { token: workspace.key })
      await receiver.remove(path)
    }
  }

  async #redeliver(): Promise<void> {
    const { api, workspace, webhookId } = this.#params
    const { key: token } = workspace
    const path = `${workspace.webhookPath(webhookId)}/deliveries`
    const { data } = await api.get<ShownDeliveries>(`${path}?limit=1&status=delivered`, { token })
    // There is none at first.
    for (const { id } of data) await api.post(`${path}/${id}/redeliver`, { token, body: {} })
  }

  async #lookAtStatus(): Promise<void> {
    const { api } = this.#params
    for (const path of ['/admin/v1/status', '/admin/v1/overview', '/admin/v1/warnings'])
      await api.get(path, { token: ADMIN_TOKEN })
  }
}

/** Keeps a stream open for a while, then disconnects. @throws Error when nothing arrived on it */
async function readStream(url: string, token: string): Promise<void> {
  const bytes = await readStreamFor(url, { token, forMs: STREAM_MS })
  if (bytes === 0) throw new Error(`nothing came from ${url}`)
}
