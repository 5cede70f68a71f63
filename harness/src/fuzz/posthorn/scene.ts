import type { ApiClient, Call } from '../../api/client.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { Account, Known } from '../pool.ts'
import type { Playground } from './playground.ts'
import { LASTING_SERVICE } from './profiles.ts'

/** How to create the content of a service's workspace. */
interface Service {
  readonly name: 'content' | 'ads'
  readonly scopes: readonly string[]
  readonly createWebhook: string
  readonly subscription: object
  readonly publishEvents: string
  readonly event: (n: number) => { readonly type: string }
  /** The path of a webhook. */
  readonly webhook: string
  readonly createConsumer: string
  /** The path of a consumer. */
  readonly consumer: string
}

const SERVICES: readonly Service[] = [
  {
    name: 'content',
    scopes: ['webhooks', 'generations:read', 'events:write'],
    createWebhook: 'createContentWebhook',
    subscription: { events: ['schedule.cancel_required'] },
    publishEvents: 'publishContentEvents',
    event: (n) => ({ type: 'schedule.cancel_required', data: { subject_id: `sch_${n}` } }),
    webhook: '/v1/workspaces/{ws}/webhooks/{id}',
    createConsumer: 'createContentConsumer',
    consumer: '/v1/workspaces/{ws}/consumers/{name}',
  },
  {
    name: 'ads',
    scopes: ['webhooks', 'events:write'],
    createWebhook: 'createAdsWebhook',
    subscription: { types: ['campaign.status_changed.v1'] },
    publishEvents: 'publishAdsEvents',
    event: () => ({
      type: 'campaign.status_changed.v1',
      entityType: 'campaign',
      entityId: '0196f2a0-0000-7000-8000-000000000001',
      payload: { from: 'paused', to: 'active' },
    }),
    webhook: '/api/v1/webhooks/{id}',
    createConsumer: 'createAdsConsumer',
    consumer: '/api/v1/consumers/{name}',
  },
]

const WORKSPACES_EACH = 3
const EVENTS_EACH = 30
/**
 * The name of the consumer that a workspace has from the start. In the ads service a path contains only that
 * name.
 */
const consumerOf = (ws: string) => `keeper-${ws}`
/** Some fail, so that failed and dead deliveries exist from the start. */
const RECEIVERS = ['/ok', '/bytes', '/hangs-up', '/later']

/** What exists before the first random request. */
export interface Scene {
  readonly accounts: Account[]
  /** By path of the resource. */
  readonly known: readonly (readonly [resource: string, known: Known])[]
}

/** Members of the answers that create something; each answer has some of them. */
interface Made {
  readonly id: string
  readonly key: string
  readonly token: string
}

/** Creates workspaces of both services with all kinds of credentials, webhooks, events and deliveries. */
export async function setScene(client: ApiClient, playground: Playground): Promise<Scene> {
  const admin: Account = {
    document: 'admin',
    keys: [ADMIN_TOKEN],
    spentKeys: [],
    params: {},
    lasting: true,
  }
  const accounts = [admin]
  const known: [string, Known][] = []
  const profile = { profile: 1, name: LASTING_SERVICE, title: 'Billing', compatibility: 'none' }
  await make(client, 'createService', { key: ADMIN_TOKEN, json: profile })
  known.push(['/admin/v1/services/{id}', { params: { id: LASTING_SERVICE }, owner: admin, lasting: true }])
  for (const service of SERVICES) {
    for (let n = 1; n <= WORKSPACES_EACH; n++) {
      const slug = `fuzz-${service.name}-${n}`
      const json = { dialect: service.name, slug, name: `Fuzz ${n}` }
      const { id: ws } = await make(client, 'createWorkspace', { key: ADMIN_TOKEN, json })
      const account = await openAccount(client, service, ws, slug)
      const person = inConsole(account)
      accounts.push(account, person)
      known.push(['/admin/v1/workspaces/{ws}', { params: { ws }, owner: admin, lasting: true }])
      const params = { ws, type: service.event(0).type }
      known.push(['/console/v1/workspaces/{ws}/event-types/{type}', { params, owner: person, lasting: true }])
      for (const id of await fill(client, service, ws, playground)) {
        const params: Record<string, string> = service.webhook.includes('{ws}') ? { ws, id } : { id }
        known.push([service.webhook, { params, owner: account, lasting: true }])
        const seen = { params: { ws, id }, owner: person, lasting: true }
        known.push(['/console/v1/workspaces/{ws}/webhooks/{id}', seen])
      }
      const consumer = { ...(service.consumer.includes('{ws}') ? { ws } : {}), name: consumerOf(ws) }
      known.push([service.consumer, { params: consumer, owner: account, lasting: true }])
    }
  }
  return { accounts, known }
}

async function make(client: ApiClient, operation: string, call: Call): Promise<Made> {
  const { status, json, text } = await client.call<Made>(operation, call)
  if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
  return json
}

/** @param ws id of the workspace */
async function openAccount(
  client: ApiClient,
  { name, scopes }: Service,
  ws: string,
  slug: string,
): Promise<Account> {
  const admin = (operation: string, params: Record<string, string>, json?: object) =>
    make(client, operation, { key: ADMIN_TOKEN, params: { ws, ...params }, json })
  const owner = { email: `owner@${slug}.example`, name: 'Owner', role: 'owner' }
  const member = await admin('createMember', {}, owner)
  const key = await admin('createKey', {}, { name: 'fuzz', scopes })
  const ownersKey = await admin('createKey', {}, { name: 'fuzz', scopes, member_id: member.id })
  const session = await admin('createSession', { id: member.id }, { minutes: 1440 })
  const revoked = await admin('createKey', {}, { name: 'fuzz', scopes })
  await admin('revokeKey', { id: revoked.id })
  return {
    document: name,
    keys: [ownersKey.key, key.key, session.token],
    spentKeys: [revoked.key],
    params: { ws: [ws, slug] },
    lasting: true,
  }
}

/** The signed-in member, whose session comes last. */
const inConsole = (account: Account): Account => ({
  ...account,
  document: 'console',
  keys: account.keys.slice(-1),
  spentKeys: [],
})

/** Creates webhooks and a consumer with its own key, and events for both. @returns ids of the webhooks */
async function fill(
  client: ApiClient,
  service: Service,
  ws: string,
  playground: Playground,
): Promise<readonly string[]> {
  const json = { name: 'keeper', scopes: service.scopes }
  const { key } = await make(client, 'createKey', { key: ADMIN_TOKEN, params: { ws }, json })
  const webhooks: string[] = []
  for (const path of RECEIVERS) {
    const url = playground.urlOf(path)
    const call = { key, params: { ws }, json: { url, ...service.subscription } }
    webhooks.push((await make(client, service.createWebhook, call)).id)
  }
  await make(client, service.createConsumer, { key, params: { ws }, json: { name: consumerOf(ws) } })
  const events = Array.from({ length: EVENTS_EACH }, (_, n) => service.event(n))
  await make(client, service.publishEvents, { key, params: { ws }, json: { events } })
  return webhooks
}
