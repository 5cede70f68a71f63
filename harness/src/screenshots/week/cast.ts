import { addConsumers, OWNER } from '../../console/demoWorld.ts'
import type { Scene } from '../../console/scene.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { DialectName, WorkspaceClient } from '../../support/workspaces.ts'
import { ADS_HOOKS, CONTENT_HOOKS, type Hook, NEIGHBORS } from './hooks.ts'

export interface EventTypeJson {
  readonly type: string
  readonly subscribable: boolean
  readonly example: Readonly<Record<string, unknown>>
}

/** A workspace that publishes. */
export interface Account<Name extends string = string> {
  readonly dialect: DialectName
  readonly workspace: WorkspaceClient
  readonly types: readonly EventTypeJson[]
  /** Ids of webhooks by purpose. */
  readonly hooks: Readonly<Record<Name, string>>
  /** Events an hour at the busiest time. */
  readonly eventsAnHour: number
}

export interface Cast {
  readonly content: Account<keyof typeof CONTENT_HOOKS>
  readonly ads: Account<keyof typeof ADS_HOOKS>
  readonly neighbors: readonly Account[]
}

/**
 * Creates all people, one after another in the weeks before, and their webhooks. @param goTo moves the
 * service's clock to a number of days ago
 */
export async function makeCast(scene: Scene, goTo: (daysAgo: number) => Promise<void>): Promise<Cast> {
  await goTo(61)
  await scene.api.post('/admin/v1/operators', {
    token: ADMIN_TOKEN,
    body: { email: 'nadia.rahimi@platform.example', name: 'Nadia Rahimi' },
  })
  await scene.api.post('/admin/v1/operators', {
    token: ADMIN_TOKEN,
    body: { email: 'oncall@platform.example', name: 'On call' },
  })
  const acme = await scene.workspace('content', 'acme-stories', 'Acme Stories')
  const content = await settle(scene, 'content', acme, OWNER, 'Mira Keller', CONTENT_HOOKS, 42)
  await scene.member(acme, 'tom.okafor@acme-stories.example', 'editor', 'Tom Okafor')
  await scene.member(acme, 'ines.duarte@acme-stories.example', 'viewer', 'Inês Duarte')
  const names = content.types.map(({ type }) => type)
  await addConsumers(scene, acme, names)
  await goTo(47)
  const northwind = await scene.workspace('ads', 'northwind', 'Northwind Media')
  await scene.member(northwind, 'jonas.lind@northwind.example', 'viewer', 'Jonas Lind')
  const ads = await settle(scene, 'ads', northwind, OWNER, 'Mira Keller', ADS_HOOKS, 130)
  const neighbors: Account[] = []
  for (const [dialect, slug, name, url, tookMs, eventsAnHour, daysAgo] of NEIGHBORS) {
    await goTo(daysAgo)
    const workspace = await scene.workspace(dialect, slug, name)
    const hooks = { only: { url, description: '', events: [], tookMs } }
    const owner = `webhooks@${slug}.example`
    neighbors.push(await settle(scene, dialect, workspace, owner, name, hooks, eventsAnHour))
  }
  return { content, ads, neighbors }
}

async function settle<Name extends string>(
  scene: Scene,
  dialect: DialectName,
  workspace: WorkspaceClient,
  email: string,
  name: string,
  hooks: Readonly<Record<Name, Hook>>,
  eventsAnHour: number,
): Promise<Account<Name>> {
  const ownerId = await scene.member(workspace, email, 'owner', name)
  const token = await sessionOf(scene, workspace, ownerId)
  const path = `/console/v1/workspaces/${workspace.id}/event-types`
  const { data } = await scene.api.get<{ data: readonly EventTypeJson[] }>(path, { token })
  const types = data.filter(({ subscribable }) => subscribable)
  const ids: Partial<Record<Name, string>> = {}
  for (const [key, { url, description, events }] of Object.entries<Hook>(hooks)) {
    const all = types.map(({ type }) => type)
    const [to, body] =
      dialect === 'content'
        ? [`/v1/workspaces/${workspace.id}/webhooks`, { events: events.length === 0 ? all : events }]
        : ['/api/v1/webhooks', { types: events }]
    const made = await scene.api.post<{ id: string }>(to, { token, body: { url, description, ...body } })
    ids[key as Name] = made.id
  }
  return { dialect, workspace, types, hooks: ids as Record<Name, string>, eventsAnHour }
}

/** A session of a member for later actions. */
async function sessionOf({ api }: Scene, workspace: WorkspaceClient, memberId: string): Promise<string> {
  const path = `/admin/v1/workspaces/${workspace.id}/members/${memberId}/sessions`
  return (await api.post<{ token: string }>(path, { token: ADMIN_TOKEN, body: {} })).token
}
