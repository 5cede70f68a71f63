import { ADMIN_TOKEN, type Settings } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import type { WorkspaceClient } from '../support/workspaces.ts'
import type { Scene } from './scene.ts'

/** Retries that are short at first, then long: deliveries fail visibly, and then wait. */
export const DEMO_SETTINGS: Settings = {
  POSTHORN_CONTENT_RETRY: '300ms,600ms,7m,2h,5h,8h,9h',
  POSTHORN_ADS_RETRY: '20ms,20ms,20ms,20ms,20ms,20ms,20ms',
  // A product that may embed the console in its own pages.
  POSTHORN_PORTAL_ORIGINS: 'https://app.acme-stories.example',
}

export const OWNER = 'mira.keller@acme-stories.example'
/** A member of both active workspaces. */
export const VIEWER = 'tom@acme-stories.example'

const WITHIN_MS = 60_000

/** Two workspaces with past activity. Ids are those of the API. */
export interface LivedIn {
  readonly content: WorkspaceClient & {
    readonly webhooks: Readonly<Record<'healthy' | 'failing' | 'gone' | 'paused', string>>
  }
  readonly ads: WorkspaceClient & { readonly endpoints: Readonly<Record<'healthy' | 'dead', string>> }
}

/**
 * The same, plus rare states: two workspaces without any activity, a replay, a link for an embedding page.
 */
export interface DemoWorld extends LivedIn {
  /** A finished replay of deliveries that died again. */
  readonly replay: string
  readonly blank: Readonly<Record<'content' | 'ads', string>>
  /** A single-use link to the content workspace inside another page. */
  portalLink(): Promise<string>
}

interface EventTypeJson {
  readonly type: string
  readonly subscribable: boolean
  readonly example: Readonly<Record<string, unknown>>
}

/** Creates both workspaces with members and webhooks, and enough activity that every page has content. */
export async function makeDemoWorld(scene: Scene): Promise<DemoWorld> {
  const { ownerId, ...content } = await makeContent(scene)
  const { replay, ...ads } = await makeAds(scene)
  const blank = {
    content: await makeBlank(scene, 'content', 'brightside', 'Brightside Studio'),
    ads: await makeBlank(scene, 'ads', 'quayside', 'Quayside Media'),
  }
  await scene.api.post('/admin/v1/operators', {
    token: ADMIN_TOKEN,
    body: { email: 'ana.duarte@posthorn.example', name: 'Ana Duarte' },
  })
  return { content, ads, replay, blank, portalLink: () => portalLink(scene, content.id, ownerId) }
}

async function makeBlank(scene: Scene, dialect: 'content' | 'ads', slug: string, name: string) {
  const workspace = await scene.workspace(dialect, slug, name)
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  return workspace.id
}

async function portalLink({ api }: Scene, workspaceId: string, memberId: string): Promise<string> {
  const path = `/admin/v1/workspaces/${workspaceId}/members/${memberId}/portal-links`
  return (await api.post<{ embed_url: string }>(path, { token: ADMIN_TOKEN, body: {} })).embed_url
}

async function makeContent(scene: Scene): Promise<LivedIn['content'] & { readonly ownerId: string }> {
  const { receiver, api } = scene
  const workspace = await scene.workspace('content', 'acme-stories', 'Acme Stories')
  const ownerId = await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  await scene.member(workspace, VIEWER, 'viewer', 'Tom Okafor')
  receiver.answer('/automation/drafts', {
    status: 200,
    body: '{"queued":true}',
    contentType: 'application/json',
  })
  receiver.answer('/hooks/publish', {
    status: 503,
    body: '{"error":"database is read-only","retry":true}',
    contentType: 'application/json',
    headers: { 'retry-after': '420' },
  })
  const types = (await eventTypes(scene, workspace)).filter(({ subscribable }) => subscribable)
  const names = types.map(({ type }) => type)
  const make = async (path: string, events: readonly string[], description: string) => {
    const body = { url: receiver.urlOf(path), events, description }
    const { id } = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/webhooks`, {
      token: workspace.key,
      body,
    })
    return id
  }
  const webhooks = {
    healthy: await make('/automation/drafts', names.slice(0, 6), 'Draft board'),
    failing: await make('/hooks/publish', names.slice(4, 9), 'Website deploy'),
    gone: await make('/old-crm', ['version.approved'], 'Old CRM'),
    paused: await make('/analytics', names, 'Analytics warehouse'),
  }
  await api.patch(`/v1/workspaces/${workspace.id}/webhooks/${webhooks.paused}`, {
    token: workspace.key,
    body: { paused: true },
  })
  receiver.answer('/old-crm', {
    status: 410,
    body: 'This integration was removed.',
    contentType: 'text/plain',
  })
  await addConsumers(scene, workspace, names)
  for (let round = 0; round < 4; round++) {
    for (const type of types) await publishExample(scene, workspace, type, 'content')
  }
  await eventually(async () => ((await allDone(workspace, webhooks.healthy)) ? true : null), {
    withinMs: WITHIN_MS,
    what: 'deliveries of the healthy webhook',
  })
  return { ...workspace, ownerId, webhooks }
}

/** One that gets every event, and one that gets only a few types. */
export async function addConsumers(
  { api }: Pick<Scene, 'api'>,
  { id, key: token }: WorkspaceClient,
  types: readonly string[],
): Promise<void> {
  const path = `/v1/workspaces/${id}/consumers`
  await api.post(path, { token, body: { name: 'crm-sync' } })
  await api.post(path, { token, body: { name: 'search-index', event_types: types.slice(0, 4) } })
}

async function makeAds(scene: Scene): Promise<LivedIn['ads'] & { readonly replay: string }> {
  const { receiver } = scene
  const workspace = await scene.workspace('ads', 'northwind', 'Northwind Media')
  await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  await scene.member(workspace, VIEWER, 'viewer', 'Tom Okafor')
  receiver.answer('/reports', {
    status: 500,
    body: '<h1>Internal Server Error</h1>',
    contentType: 'text/html',
  })
  const healthy = await workspace.createWebhook(receiver.urlOf('/bidder'), [])
  const dead = await workspace.createWebhook(receiver.urlOf('/reports'), [
    'report.ready.v1',
    'campaign.updated.v1',
  ])
  for (const type of await eventTypes(scene, workspace)) {
    for (let round = 0; round < 2; round++) await publishExample(scene, workspace, type, 'ads')
  }
  const allDead = () =>
    eventually(
      async () => {
        const log = await workspace.deliveries(dead.id)
        return log.length > 0 && log.every(({ status }) => status === 'dead') ? true : null
      },
      { withinMs: WITHIN_MS, what: 'dead deliveries' },
    )
  await allDead()
  const replay = await replayed(scene, workspace, { webhookId: dead.id, eventType: 'campaign.updated.v1' })
  await allDead()
  return { ...workspace, endpoints: { healthy: healthy.id, dead: dead.id }, replay }
}

/** Replays dead deliveries. @returns the id of the replay, once it is finished */
async function replayed({ api }: Scene, { key: token }: WorkspaceClient, body: object): Promise<string> {
  const path = '/api/v1/webhook-deliveries'
  const { id } = await api.post<{ id: string }>(`${path}/replay`, { token, body })
  return eventually(
    async () => {
      const { status } = await api.get<{ status: string }>(`${path}/replays/${id}`, { token })
      return status === 'finished' ? id : null
    },
    { withinMs: WITHIN_MS, what: 'end of the replay' },
  )
}

async function eventTypes({ api }: Scene, workspace: WorkspaceClient): Promise<readonly EventTypeJson[]> {
  const path = `/console/v1/workspaces/${workspace.id}/event-types`
  const token = await memberSession(api, workspace)
  return (await api.get<{ data: readonly EventTypeJson[] }>(path, { token })).data
}

/** A session of the first member, since the console's routes are for members. */
async function memberSession(api: Scene['api'], workspace: WorkspaceClient): Promise<string> {
  const members = `/admin/v1/workspaces/${workspace.id}/members`
  const { data } = await api.get<{ data: readonly { id: string }[] }>(members, { token: ADMIN_TOKEN })
  const path = `${members}/${data[0]!.id}/sessions`
  return (await api.post<{ token: string }>(path, { token: ADMIN_TOKEN, body: {} })).token
}

async function publishExample(
  scene: Scene,
  workspace: WorkspaceClient,
  { type, example }: EventTypeJson,
  dialect: 'content' | 'ads',
): Promise<void> {
  const { api } = scene
  if (dialect === 'ads') {
    const { entityType, entityId, payload } = example
    await api.post('/api/v1/events', { token: workspace.key, body: { type, entityType, entityId, payload } })
    return
  }
  const { workspace: _workspace, actor_id, links, ...data } = example.data as Record<string, unknown>
  await api.post(`/v1/workspaces/${workspace.id}/events`, {
    token: workspace.key,
    body: { type, data, actor_id, links },
  })
}

async function allDone(workspace: WorkspaceClient, webhookId: string): Promise<boolean> {
  const log = await workspace.deliveries(webhookId)
  return log.length > 0 && log.every(({ status }) => status !== 'pending')
}
