import { randomUUID } from 'node:crypto'
import { ADMIN_TOKEN, type Settings } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'
import type { LoggedDelivery, WorkspaceClient } from '../support/workspaces.ts'
import { addConsumers, type DemoWorld, OWNER } from './demoWorld.ts'
import { hostileEmail, hostileTexts, hostileUrl } from './hostile.ts'
import { hostileReplies } from './hostileReplies.ts'
import type { Scene } from './scene.ts'

/** Content deliveries fail once and wait; those of ads are soon dead. */
export const HOSTILE_SETTINGS: Settings = {
  POSTHORN_CONTENT_RETRY: Array(7).fill('1h').join(','),
  POSTHORN_ADS_RETRY: Array(7).fill('20ms').join(','),
  POSTHORN_PORTAL_ORIGINS: 'https://app.acme-stories.example',
}

/** Everything that other people write, in its original form. */
export const WRITTEN = {
  'workspace name': hostileTexts('workspace name', 200),
  'member name': hostileTexts('member name', 200),
  'key name': hostileTexts('key name', 200),
  'operator name': hostileTexts('operator name', 200),
  description: hostileTexts('description', 1000, 'text'),
  'event title': hostileTexts('event title', 300, 'anything'),
  'ads name': hostileTexts('ads name', 300, 'anything'),
  email: ['anna', 'ben', 'cleo'].map(hostileEmail),
  'operator email': ['dora', 'emil', 'fina', 'gus'].map(hostileEmail),
} as const

/** The same shape as the demo's, so that the same pages show it. */
export interface HostileWorld extends DemoWorld {
  /** Of the content workspace; looks at everything. */
  readonly ownerId: string
  readonly urls: Readonly<Record<'healthy' | 'failing' | 'gone' | 'paused' | 'ads', string>>
  /** Ids of the failing webhook's deliveries by the receiver's answer, and of the ads endpoint's. */
  readonly deliveries: ReadonlyMap<string, string>
  readonly adsDeliveries: readonly string[]
  /** A delivery that arrived. */
  readonly delivered: string
  /** The event of that delivery. */
  readonly event: string
  /** A delivery whose answer disabled its webhook. */
  readonly off: string
}

const TYPES = ['generation.ready_for_review', 'version.approved']
const ADS_TYPE = 'segment.created.v1'
const WITHIN_MS = 60_000

/** Creates the workspaces of both services with only hostile content. */
export async function makeHostileWorld(scene: Scene): Promise<HostileWorld> {
  const [contentName, adsName, blankContent, blankAds] = WRITTEN['workspace name']
  const content = await scene.workspace('content', 'acme', contentName)
  const ownerId = await addMembers(scene, content)
  const urls = {
    healthy: hostileUrl(scene.receiver.urlOf('/healthy')),
    failing: hostileUrl(scene.receiver.urlOf('/failing')),
    gone: hostileUrl(scene.receiver.urlOf('/gone')),
    // Never resolved: it is paused before anything is sent.
    paused: hostileUrl(`https://${Array(3).fill('w'.repeat(63)).join('.')}.${'w'.repeat(57)}.com`),
    ads: hostileUrl(scene.receiver.urlOf('/ads')),
  }
  const webhooks = await addWebhooks(scene, content, ownerId, urls)
  const deliveries = await deliverContent(scene, content, webhooks, urls)
  await addConsumers(scene, content, TYPES)
  const [delivered] = await content.deliveries(webhooks.healthy)
  const ofGone = async () =>
    (await content.deliveries(webhooks.gone)).find(({ status }) => status === 'failed') ?? null
  const off = await eventually(ofGone, { withinMs: WITHIN_MS, what: 'a delivery that disables its webhook' })
  const ads = await scene.workspace('ads', 'northwind', adsName)
  await addMembers(scene, ads)
  const { adsDeliveries, ...adsParts } = await deliverAds(scene, ads, urls.ads)
  const blank = {
    content: (await scene.workspace('content', 'blank', blankContent)).id,
    ads: (await scene.workspace('ads', 'quay', blankAds)).id,
  }
  for (const id of Object.values(blank)) await addMember(scene, id, OWNER, WRITTEN['member name'][0]!)
  await addOperators(scene, blank.ads)
  return {
    content: { ...content, webhooks },
    ...{ ads: { ...ads, endpoints: adsParts.endpoints }, replay: adsParts.replay },
    ...{
      ownerId,
      blank,
      urls,
      deliveries,
      adsDeliveries,
      delivered: delivered!.id,
      event: delivered!.eventId,
      off: off.id,
    },
    async portalLink() {
      const path = `/admin/v1/workspaces/${content.id}/members/${ownerId}/portal-links`
      return (await scene.api.post<{ embed_url: string }>(path, { token: ADMIN_TOKEN, body: {} })).embed_url
    },
  }
}

const addMember = (scene: Scene, id: string, email: string, name: string) =>
  scene.api.post<{ id: string }>(`/admin/v1/workspaces/${id}/members`, {
    token: ADMIN_TOKEN,
    body: { email, name, role: 'owner' },
  })

/** @returns the id of the owner who looks at everything */
async function addMembers(scene: Scene, { id }: WorkspaceClient): Promise<string> {
  const [first, ...others] = WRITTEN['member name']
  const owner = await addMember(scene, id, OWNER, first!)
  for (const [place, name] of others.entries()) {
    await addMember(scene, id, WRITTEN.email[place % WRITTEN.email.length]!, name)
  }
  return owner.id
}

/** A key for each of the names. @returns the keys themselves */
async function addKeys({ api }: Scene, { id }: WorkspaceClient, scopes: readonly string[]) {
  const keys: string[] = []
  for (const name of WRITTEN['key name']) {
    const body = { name, scopes }
    const { key } = await api.post<{ key: string }>(`/admin/v1/workspaces/${id}/keys`, {
      token: ADMIN_TOKEN,
      body,
    })
    keys.push(key)
  }
  return keys
}

async function addWebhooks(
  scene: Scene,
  content: WorkspaceClient,
  ownerId: string,
  urls: HostileWorld['urls'],
): Promise<HostileWorld['content']['webhooks']> {
  const path = `/v1/workspaces/${content.id}/webhooks`
  const [mixed, word] = WRITTEN.description
  const [first, second, third, ...others] = await addKeys(scene, content, ['webhooks', 'generations:read'])
  const session = await scene.sessionOf(content, ownerId)
  const add = async (token: string, url: string, description = '') => {
    const body = { url, events: TYPES, description }
    return (await scene.api.post<{ id: string }>(path, { token, body })).id
  }
  const webhooks = {
    failing: await add(first!, urls.failing, mixed),
    healthy: await add(second!, urls.healthy, word),
    gone: await add(third!, urls.gone),
    paused: await add(session, urls.paused, mixed),
  }
  // One webhook for each remaining key, so that each key name is shown as the one that added a webhook.
  for (const key of others) await add(key, urls.gone)
  await scene.api.patch(`${path}/${webhooks.paused}`, { token: session, body: { paused: true } })
  return webhooks
}

const pathOf = (url: string) => new URL(url).pathname

/** Each kind of answer meets an event with one of the titles. */
async function deliverContent(
  scene: Scene,
  content: WorkspaceClient,
  webhooks: HostileWorld['content']['webhooks'],
  urls: HostileWorld['urls'],
): Promise<ReadonlyMap<string, string>> {
  const { receiver } = scene
  const replies = hostileReplies()
  const found = new Map<string, string>()
  receiver.answer(pathOf(urls.gone), { ...replies.get('markup')!, status: 410 })
  receiver.answer(pathOf(urls.healthy), { ...replies.get('json')!, status: 200 })
  const titles = WRITTEN['event title']
  for (const [place, [kind, reply]] of [...replies].entries()) {
    receiver.answer(pathOf(urls.failing), reply)
    const generation = {
      id: 'gen_1',
      kind: 'article',
      content_id: 'cnt_1',
      title: titles[place % titles.length],
    }
    const data = { generation, version_id: 'ver_1', version_number: 1 }
    const [eventId] = await content.publish([{ type: TYPES[0]!, content: data }])
    const attempted = ({ eventId: id, attempts }: LoggedDelivery) => id === eventId && attempts.length > 0
    const ask = async () => (await content.deliveries(webhooks.failing)).find(attempted) ?? null
    found.set(kind, (await eventually(ask, { withinMs: WITHIN_MS, what: `an attempt, ${kind}` })).id)
  }
  const arrived = async () =>
    (await content.deliveries(webhooks.healthy)).every(({ status }) => status === 'delivered') || null
  await eventually(arrived, { withinMs: WITHIN_MS, what: 'deliveries of the healthy webhook' })
  return found
}

async function deliverAds(scene: Scene, ads: WorkspaceClient, url: string) {
  const { api, receiver } = scene
  const [token] = await addKeys(scene, ads, ['webhooks', 'events:write'])
  const add = async (body: object) =>
    (await api.post<{ id: string }>('/api/v1/webhooks', { token: token!, body })).id
  const endpoints = {
    healthy: await add({ url: hostileUrl(receiver.urlOf('/bidder')), types: [] }),
    dead: await add({ url, types: [ADS_TYPE], description: WRITTEN.description[0] }),
  }
  receiver.answer(pathOf(url), hostileReplies().get('markup')!)
  await ads.publish(
    WRITTEN['ads name'].map((name) => ({
      type: ADS_TYPE,
      entity: { type: 'segment', id: randomUUID() },
      content: { name, kind: 'rule' },
    })),
  )
  const allDead = async () => {
    const log = await ads.deliveries(endpoints.dead)
    return log.length > 0 && log.every(({ status }) => status === 'dead') ? log : null
  }
  await eventually(allDead, { withinMs: WITHIN_MS, what: 'dead deliveries' })
  const replays = '/api/v1/webhook-deliveries'
  const body = { webhookId: endpoints.dead }
  const { id: replay } = await api.post<{ id: string }>(`${replays}/replay`, { token: token!, body })
  const finished = async () => {
    const path = `${replays}/replays/${replay}`
    return (await api.get<{ status: string }>(path, { token: token! })).status === 'finished' || null
  }
  await eventually(finished, { withinMs: WITHIN_MS, what: 'end of the replay' })
  const dead = await eventually(allDead, { withinMs: WITHIN_MS, what: 'dead deliveries after the replay' })
  return { endpoints, replay, adsDeliveries: dead.map(({ id }) => id) }
}

/** Each operator suspends and resumes the workspace, so that the audit log names them. */
async function addOperators(scene: Scene, workspaceId: string): Promise<void> {
  for (const [place, name] of WRITTEN['operator name'].entries()) {
    const email = WRITTEN['operator email'][place]!
    await scene.api.post('/admin/v1/operators', { token: ADMIN_TOKEN, body: { email, name } })
    const { context } = await scene.signedIn(email)
    for (const deed of ['suspend', 'resume']) {
      const path = `/admin/v1/workspaces/${workspaceId}/${deed}`
      const answer = await context.request.post(path, { headers: { origin: scene.url } })
      if (!answer.ok()) throw new Error(`${deed}: ${answer.status()} ${await answer.text()}`)
    }
    await context.close()
  }
}
