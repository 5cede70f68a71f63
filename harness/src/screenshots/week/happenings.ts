import { OWNER } from '../../console/demoWorld.ts'
import type { Scene } from '../../console/scene.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { WorkspaceClient } from '../../support/workspaces.ts'
import type { Cast } from './cast.ts'

interface Happening {
  readonly hoursAgo: number
  readonly happens: () => Promise<unknown>
}

/** What people did to webhooks and workspaces in that week, in order. */
export function happenings(scene: Scene, { content, ads, neighbors }: Cast): Happening[] {
  const mira = new Visitor(scene, OWNER)
  const webhook = (id: string) => `/v1/workspaces/${content.workspace.id}/webhooks/${id}`
  return [
    { hoursAgo: 140, happens: () => mira.sends('post', `${webhook(content.hooks.healthy)}/test`, {}) },
    {
      hoursAgo: 96,
      happens: () =>
        mira.sends('patch', webhook(content.hooks.search), { description: 'Search index, all languages' }),
    },
    {
      hoursAgo: 70,
      happens: () =>
        scene.api.post(`/admin/v1/workspaces/${neighbors[3]!.workspace.id}/keys`, {
          token: ADMIN_TOKEN,
          body: { name: 'CI', scopes: ['events:write'] },
        }),
    },
    {
      hoursAgo: 40,
      happens: () =>
        scene.api.post('/api/v1/webhook-deliveries/replay', {
          token: ads.workspace.key,
          body: { webhookId: ads.hooks.billing },
        }),
    },
    {
      hoursAgo: 22,
      happens: () => mira.sends('post', `${webhook(content.hooks.healthy)}/rotate-secret`, {}),
    },
    { hoursAgo: 21, happens: () => readAll(scene, content.workspace, 'search-index') },
    { hoursAgo: 5, happens: () => mira.sends('patch', webhook(content.hooks.paused), { paused: true }) },
    {
      hoursAgo: 1.5,
      happens: () =>
        scene.member(content.workspace, 'leo.brandt@acme-stories.example', 'editor', 'Leo Brandt'),
    },
    { hoursAgo: 0.5, happens: () => readAll(scene, content.workspace, 'crm-sync') },
    { hoursAgo: 0.4, happens: () => mira.sends('post', `${webhook(content.hooks.failing)}/test`, {}) },
  ]
}

/** Reads a consumer to the end, and acknowledges all events. */
async function readAll({ api }: Scene, { id, key: token }: WorkspaceClient, name: string): Promise<void> {
  const path = `/v1/workspaces/${id}/consumers/${name}`
  for (;;) {
    const page = await api.get<{ ack: string | null; has_more: boolean }>(`${path}/events?limit=100`, {
      token,
    })
    if (page.ack !== null) await api.post(`${path}/ack`, { token, body: { ack: page.ack } })
    if (!page.has_more) return
  }
}

/** A person in a browser, who signs in at the first action. */
class Visitor {
  readonly #scene: Scene
  readonly #email: string
  #opened: ReturnType<Scene['signedIn']> | null = null

  constructor(scene: Scene, email: string) {
    this.#scene = scene
    this.#email = email
  }

  async sends(method: 'post' | 'patch', path: string, data: object): Promise<void> {
    this.#opened ??= this.#scene.signedIn(this.#email)
    const { context } = await this.#opened
    const headers = { origin: this.#scene.url }
    const answer = await context.request.fetch(path, { method, data, headers })
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`)
  }
}
