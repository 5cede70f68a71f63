import type { ApiDocument } from '../api/apiDocument.ts'
import type { ApiClient, Call } from '../api/client.ts'
import type { Playground } from '../fuzz/posthorn/playground.ts'
import { ADMIN_TOKEN } from '../support/posthorn.ts'
import { eventually } from '../support/waiting.ts'

type Values = Readonly<Record<string, string>>

/** What the run over one document works on. */
export interface DocumentStage {
  /** Sent as a bearer token. */
  readonly token: string
  /** Of paths, by operation id. */
  readonly params: Readonly<Record<string, Values>>
  /** Tokens in place of `token`, by operation id, where an operation ends the session that it is called in. */
  readonly tokens: Values
  /**
   * Operations that take no part in sequences of requests: they delete what others work on, or their `DELETE` cancels a
   * recovery, which stays readable, while Schemathesis expects a 404 after it.
   */
  readonly apart: readonly string[]
  /** For `hooks.py`: query parameters by method and path, and members of bodies. */
  readonly facts: {
    readonly query: Readonly<Record<string, Values>>
    readonly body: Readonly<Record<string, string | boolean | readonly string[]>>
    /** Whole bodies by method and path, for operations whose documents say too little of them. */
    readonly bodies?: Readonly<Record<string, object>>
  }
}

export type Stage = Readonly<Record<string, DocumentStage>>

interface Made {
  readonly id: string
  readonly key: string
  readonly token: string
  readonly data: readonly { readonly id: string; readonly webhook_id: string }[]
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
  readonly ack?: string
}

const EVENTS = 30

/** Of consumers: nothing is published meanwhile, and a request may take ten seconds. */
const SHORT_WAIT = { wait: '1' }

/** The one that lasts, and the one that is deleted. */
const CONSUMERS = ['kept', 'gone'] as const

/** What the operations on consumers name. */
function consumerParams(title: string, workspace: Values): Readonly<Record<string, Values>> {
  const [kept, gone] = CONSUMERS.map((name) => ({ ...workspace, name }))
  return {
    [`get${title}Consumer`]: kept!,
    [`read${title}Consumer`]: kept!,
    [`acknowledge${title}Events`]: kept!,
    [`stream${title}Consumer`]: kept!,
    [`seek${title}Consumer`]: kept!,
    [`delete${title}Consumer`]: gone!,
  }
}

/**
 * A consumer begins or goes on at one place, and acknowledges what it was given.
 * @param base of the paths
 */
const consumerBodies = (base: string, ack: string | undefined): Readonly<Record<string, object>> => ({
  [`POST ${base}/consumers`]: { name: 'made', start: 'now' },
  [`POST ${base}/consumers/{name}/seek`]: { start: 'now' },
  [`POST ${base}/consumers/{name}/ack`]: { ack },
})

/** Makes the calls that set the stage. */
class Provisioning {
  readonly #client: ApiClient

  constructor(client: ApiClient) {
    this.#client = client
  }

  async make(operation: string, call: Call): Promise<Made> {
    const { status, json, text } = await this.#client.call<Made>(operation, call)
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
    return json
  }

  admin(operation: string, params: Values, json?: object): Promise<Made> {
    return this.make(operation, { key: ADMIN_TOKEN, params, ...(json === undefined ? {} : { json }) })
  }

  async workspace(dialect: string, slug: string): Promise<Made> {
    return this.admin('createWorkspace', {}, { dialect, slug, name: 'Schemathesis' })
  }

  async member(ws: string, name: string): Promise<Made> {
    return this.admin(
      'createMember',
      { ws },
      { email: `${name}-${ws.replaceAll('_', '-')}@acme.example`, name, role: 'owner' },
    )
  }

  async session(ws: string, id: string): Promise<string> {
    return (await this.admin('createSession', { ws, id }, { minutes: 1440 })).token
  }
}

/** Fills a service with one of everything that the operations of its documents name. */
export async function setStage(
  client: ApiClient,
  documents: readonly ApiDocument[],
  playground: Playground,
): Promise<Stage> {
  const provisioning = new Provisioning(client)
  const body = { url: playground.urlOf('/ok') }
  const [fail, later] = [playground.urlOf('/fail'), playground.urlOf('/later')]
  const content = await contentStage(provisioning, body.url, fail, later)
  const ads = await adsStage(provisioning, body.url, fail, later)
  const stage: Stage = {
    content,
    ads,
    admin: await adminStage(provisioning),
    console: await consoleStage(provisioning, body.url),
  }
  const withCursors = documents.map(async (document) => {
    const one = stage[document.name]!
    const query = { ...one.facts.query }
    for (const [label, cursor] of await cursorsOf(client, document, one)) {
      query[label] = { ...query[label], ...cursor }
    }
    return [document.name, { ...one, facts: { ...one.facts, query } }] as const
  })
  return Object.fromEntries(await Promise.all(withCursors))
}

async function contentStage(
  p: Provisioning,
  good: string,
  failing: string,
  postponing: string,
): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('content', 'documents-content')
  const { id: member } = await p.member(ws, 'owner')
  const scopes = ['webhooks', 'generations:read', 'events:write']
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes, member_id: member })
  const subscription = { events: ['schedule.cancel_required'] }
  const webhook = (url: string) =>
    p.make('createContentWebhook', { key, params: { ws }, json: { url, ...subscription } })
  const [kept, failed, spare] = [await webhook(good), await webhook(failing), await webhook(good)]
  const waiting = await webhook(postponing)
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    id: `evt_${n}`,
    type: 'schedule.cancel_required',
    data: { subject_id: `sch_${n}` },
  }))
  await p.make('publishContentEvents', { key, params: { ws }, json: { events } })
  const delivery = await eventually(
    async () => {
      const call = { key, params: { ws, id: failed.id }, query: { status: 'failed' } }
      return (await p.make('listContentDeliveries', call)).data[0]?.id ?? null
    },
    { withinMs: 30_000, what: 'a delivery that failed' },
  )
  const pending = await eventually(
    async () => {
      const call = { key, params: { ws, id: waiting.id }, query: { status_code: '503' } }
      return (await p.make('listContentDeliveries', call)).data[0]?.id ?? null
    },
    { withinMs: 30_000, what: 'a delivery that waits' },
  )
  const recovery = await p.make('recoverContentWebhook', {
    key,
    params: { ws, id: kept.id },
    json: { since: '2026-01-01T00:00:00Z' },
  })
  for (const name of CONSUMERS)
    await p.make('createContentConsumer', { key, params: { ws }, json: { name, start: 'oldest' } })
  const { ack } = await p.make('readContentConsumer', { key, params: { ws, name: CONSUMERS[0] } })
  await p.make('createContentOperationalWebhook', { key, params: { ws }, json: { url: good } })
  for (let i = 0; i < 2; i++) await p.make('testContentOperationalWebhook', { key, params: { ws } })
  const one = { ws, id: kept.id }
  const sent = { ws, id: failed.id, did: delivery }
  const recovered = { ...one, rid: recovery.id }
  return {
    token: key,
    tokens: {},
    apart: ['cancelContentRecovery', 'deleteContentOperationalWebhook', 'deleteContentConsumer'],
    params: {
      '': { ws },
      getContentEvent: { ws, id: 'evt_1' },
      getContentWebhook: one,
      updateContentWebhook: one,
      deleteContentWebhook: { ws, id: spare.id },
      rotateContentWebhookSecret: one,
      testContentWebhook: one,
      listContentDeliveries: { ws, id: failed.id },
      getContentDelivery: sent,
      redeliverContentDelivery: sent,
      retryContentDelivery: { ws, id: waiting.id, did: pending },
      retryContentWebhook: one,
      getContentRetry: one,
      recoverContentWebhook: one,
      getContentRecovery: recovered,
      cancelContentRecovery: recovered,
      ...consumerParams('Content', { ws }),
    },
    facts: {
      query: {
        'GET /v1/workspaces/{ws}/deliveries': { webhook_id: failed.id },
        'GET /v1/workspaces/{ws}/consumers/{name}/events': SHORT_WAIT,
      },
      body: { url: good },
      // Which types the webhook receives depends on the changes before.
      bodies: {
        'POST /v1/workspaces/{ws}/webhooks/{id}/test': {},
        ...consumerBodies('/v1/workspaces/{ws}', ack),
      },
    },
  }
}

async function adsStage(
  p: Provisioning,
  good: string,
  failing: string,
  postponing: string,
): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('ads', 'documents-ads')
  const { id: member } = await p.member(ws, 'owner')
  const scopes = ['webhooks', 'events:write']
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes, member_id: member })
  const webhook = (url: string) => p.make('createAdsWebhook', { key, json: { url } })
  const [kept, failed, spare] = [await webhook(good), await webhook(failing), await webhook(good)]
  const waiting = await webhook(postponing)
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    id: `0196f2a0-0000-7000-8000-${String(n).padStart(12, '0')}`,
    type: 'campaign.status_changed.v1',
    entityType: 'campaign',
    entityId: '0196f2a0-0000-7000-8000-000000000001',
    payload: { from: 'paused', to: 'active' },
  }))
  await p.make('publishAdsEvents', { key, json: { events } })
  const dead = await eventually(
    async () => {
      const query = { status: 'dead', webhookId: failed.id }
      return (await p.make('listAdsDeliveries', { key, query })).data[0]?.id ?? null
    },
    { withinMs: 30_000, what: 'a delivery that is dead' },
  )
  const pending = await eventually(
    async () => {
      const query = { webhookId: waiting.id, statusCode: '503' }
      return (await p.make('listAdsDeliveries', { key, query })).data[0]?.id ?? null
    },
    { withinMs: 30_000, what: 'a delivery that waits' },
  )
  const replay = await p.make('replayAdsDeliveries', { key, json: { webhookId: kept.id } })
  const recovery = await p.make('recoverAdsWebhook', {
    key,
    params: { id: kept.id },
    json: { since: '2026-01-01T00:00:00Z' },
  })
  for (const name of CONSUMERS) await p.make('createAdsConsumer', { key, json: { name, start: 'oldest' } })
  const { ack } = await p.make('readAdsConsumer', { key, params: { name: CONSUMERS[0] } })
  await p.make('createAdsOperationalWebhook', { key, json: { url: good } })
  for (let i = 0; i < 2; i++) await p.make('testAdsOperationalWebhook', { key })
  return {
    token: key,
    tokens: {},
    apart: ['cancelAdsRecovery', 'deleteAdsOperationalWebhook', 'deleteAdsConsumer'],
    params: {
      getAdsEvent: { id: events[1]!.id },
      getAdsWebhook: { id: kept.id },
      updateAdsWebhook: { id: kept.id },
      deleteAdsWebhook: { id: spare.id },
      rotateAdsWebhookSecret: { id: kept.id },
      getAdsDelivery: { id: dead },
      replayAdsDelivery: { id: dead },
      getAdsReplay: { id: replay.id },
      retryAdsDelivery: { id: pending },
      retryAdsWebhook: { id: kept.id },
      getAdsRetry: { id: kept.id },
      testAdsWebhook: { id: kept.id },
      recoverAdsWebhook: { id: kept.id },
      getAdsRecovery: { id: recovery.id },
      cancelAdsRecovery: { id: recovery.id },
      ...consumerParams('Ads', {}),
    },
    facts: {
      query: {
        'GET /api/v1/webhook-deliveries': { webhookId: failed.id },
        'GET /api/v1/consumers/{name}/events': SHORT_WAIT,
      },
      body: { url: good, webhookId: failed.id },
      bodies: { 'POST /api/v1/webhooks/{id}/test': {}, ...consumerBodies('/api/v1', ack) },
    },
  }
}

async function adminStage(p: Provisioning): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('content', 'documents-admin')
  const [suspended, deleted] = [await p.workspace('ads', 'suspended'), await p.workspace('ads', 'deleted')]
  const [kept, gone] = [await p.member(ws, 'owner'), await p.member(ws, 'gone')]
  const key = (name: string) => p.admin('createKey', { ws }, { name, scopes: ['webhooks'] })
  const [keptKey, goneKey] = [await key('kept'), await key('gone')]
  const operator = (name: string) => p.admin('createOperator', {}, { email: `${name}@acme.example`, name })
  const profile = (name: string) => ({ profile: 1, name, title: 'Billing' })
  for (const name of ['kept', 'gone']) await p.admin('createService', {}, profile(name))
  const [, goneOperator] = [await operator('kept'), await operator('gone')]
  const scopes = ['webhooks']
  const publisher = await p.admin(
    'createKey',
    { ws },
    { name: 'webhook', scopes: [...scopes, 'generations:read'] },
  )
  const webhook = await p.make('createContentWebhook', {
    key: publisher.key,
    params: { ws },
    json: { url: 'https://hooks.example.com/', events: ['plan.ready'] },
  })
  await p.admin('createOperationalWebhook', {}, { url: 'https://hooks.example.com/' })
  for (let i = 0; i < 2; i++) await p.admin('testOperationalWebhook', {})
  const one = { ws, id: kept.id }
  return {
    token: ADMIN_TOKEN,
    tokens: {},
    apart: [
      'deleteOperationalWebhook',
      'deleteMember',
      'revokeKey',
      'deleteOperator',
      'deleteService',
      'deleteWorkspace',
      'suspendWorkspace',
    ],
    params: {
      '': { ws },
      deleteWorkspace: { ws: deleted.id },
      suspendWorkspace: { ws: suspended.id },
      resumeWorkspace: { ws: suspended.id },
      getMember: one,
      updateMember: one,
      deleteMember: { ws, id: gone.id },
      createSession: one,
      deleteSessions: one,
      createPortalLink: one,
      getKey: { ws, id: keptKey.id },
      revokeKey: { ws, id: goneKey.id },
      deleteOperator: { id: goneOperator.id },
      getService: { id: 'kept' },
      updateService: { id: 'kept' },
      deleteService: { id: 'gone' },
    },
    facts: {
      query: { 'GET /admin/v1/figures': { workspace: ws, webhook_id: webhook.id } },
      body: {
        url: 'https://hooks.example.com/',
        dialect: 'content',
        member_id: kept.id,
        expires_at: '2099-01-01T00:00:00Z',
        scopes: ['webhooks', 'events:write'],
      },
      bodies: {
        'POST /admin/v1/services': profile('made'),
        'PUT /admin/v1/services/{id}': profile('kept'),
      },
    },
  }
}

async function consoleStage(p: Provisioning, good: string): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('content', 'documents-console')
  const { id: member } = await p.member(ws, 'owner')
  const other = await p.member(ws, 'other')
  const scopes = ['webhooks', 'generations:read']
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes })
  const webhook = await p.make('createContentWebhook', {
    key,
    params: { ws },
    json: { url: good, events: ['plan.ready'] },
  })
  const filters = { webhook_id: webhook.id, event_type: 'plan.ready' }
  return {
    token: await p.session(ws, member),
    apart: [],
    tokens: {
      signOut: await p.session(ws, member),
      signOutEverywhere: await p.session(ws, other.id),
    },
    params: {
      '': { ws },
      getWebhookSummary: { ws, id: webhook.id },
      listSamples: { ws, type: 'plan.ready' },
    },
    facts: {
      query: {
        'GET /console/v1/workspaces/{ws}/deliveries/live': filters,
        'GET /console/v1/workspaces/{ws}/figures': { webhook_id: webhook.id },
      },
      // This token signs in any caller that shows it, though not inside another page.
      body: { token: ADMIN_TOKEN, embedded: false },
    },
  }
}

/** A cursor of each list that has a second page, as the lists themselves give them. */
async function cursorsOf(
  client: ApiClient,
  document: ApiDocument,
  { token, params, facts }: DocumentStage,
): Promise<readonly (readonly [label: string, cursor: Values])[]> {
  const found: (readonly [string, Values])[] = []
  for (const { id, method, path, parameters } of document.operations) {
    const name = parameters.find((one) => one.in === 'query' && ['cursor', 'after'].includes(one.name))?.name
    if (name === undefined) continue
    const label = `${method.toUpperCase()} ${path}`
    const query = { limit: 1, ...facts.query[label] }
    const call = { key: token, params: params[id] ?? params[''] ?? {}, query }
    const { json } = await client.call<Made>(id, call)
    const cursor = json.next_cursor ?? json.nextCursor ?? null
    if (cursor === null) throw new Error(`${id} has no second page`)
    found.push([label, { [name]: cursor }])
  }
  return found
}
