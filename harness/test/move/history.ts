import { randomUUID } from 'node:crypto'
import type { Behavior } from '../../src/receivers/behavior.ts'
import type { ScriptedReceiver } from '../../src/receivers/scriptedReceiver.ts'
import { ADMIN_TOKEN } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { ADS_TYPE, adsEvent, CONTENT_TYPE, contentEvent } from '../sampleEvents.ts'
import type { Caller } from './caller.ts'

const PATIENCE_MS = 20_000

/** A workspace, and its credentials. */
export interface Account {
  readonly ws: string
  readonly key: string
  /** Valid before it was revoked. */
  readonly revokedKey: string
  /** The token of an owner's session. */
  readonly session: string
}

export interface Webhook {
  readonly id: string
  /** Path at the receiver. */
  readonly hook: string
}

/** The known history of the two services. */
export interface History {
  readonly content: Account
  readonly ads: Account
  readonly ok: Webhook
  readonly adsOk: Webhook
  /** Always fails. */
  readonly failing: Webhook
  /** A published event with the publisher's own id. */
  readonly own: { readonly id: string }
  /** A bulk replay. */
  readonly replayId: string
  /** A request with an idempotency key, and its answer. */
  readonly once: {
    readonly path: string
    readonly body: object
    readonly key: string
    readonly answer: object
  }
}

/** Creates a history of all kinds in a service with short waits. Nothing is in flight at the end. */
export async function makeHistory(api: Caller, receiver: ScriptedReceiver): Promise<History> {
  const content = await openAccount(api, 'content')
  const ads = await openAccount(api, 'ads')
  await deletedWorkspace(api)
  const inContent = new Hooks(api, receiver, content, 'content')
  const inAds = new Hooks(api, receiver, ads, 'ads')
  const ok = await inContent.add('/ok', { kind: 'prompt' })
  const failing = await inContent.add('/fail', { kind: 'status', status: 500 })
  const gone = await inContent.add('/gone', { kind: 'status', status: 410 })
  const deleted = await inContent.add('/deleted', { kind: 'prompt' })
  const adsOk = await inAds.add('/ads-ok', { kind: 'prompt' })
  const adsFailing = await inAds.add('/ads-fail', { kind: 'trick', trick: 'hangUp' })

  const events = `/v1/workspaces/${content.ws}/events`
  const own = { id: `evt_own_${randomUUID()}`, ...contentEvent() }
  for (let round = 0; round < 3; round++)
    await api.post(`${events}/batch`, content.key, { events: [contentEvent(), contentEvent()] })
  await api.post(events, content.key, own)
  await api.post('/api/v1/events/batch', ads.key, {
    events: [adsEvent(), adsEvent({ id: randomUUID() }), adsEvent()],
  })
  await inContent.ended(ok, ['delivered'], 7)
  await inContent.ended(failing, ['failed'], 7)
  await inContent.ended(gone, ['failed', 'canceled'], 1)
  await inContent.ended(deleted, ['delivered'], 7)
  await inAds.ended(adsOk, ['delivered'], 3)
  await inAds.ended(adsFailing, ['dead'], 3)

  const webhook = (id: string) => `/v1/workspaces/${content.ws}/webhooks/${id}`
  await api.done('DELETE', webhook(deleted.id), { token: content.key })
  await inContent.moveTo(ok, '/ok-moved')
  await inContent.rotate({ ...ok, hook: '/ok-moved' })
  const [again] = await inContent.deliveries(ok)
  await api.post(`${webhook(ok.id)}/deliveries/${again!.id}/redeliver`, content.key)
  await api.post(`${webhook(ok.id)}/test`, content.key)
  const { id: replayId } = await api.post<{ id: string }>('/api/v1/webhook-deliveries/replay', ads.key, {})
  await replayed(api, ads, replayId)
  await inContent.ended(ok, ['delivered'], 8)
  await inAds.ended(adsFailing, ['dead'], 3)
  return {
    content,
    ads,
    ok: { ...ok, hook: '/ok-moved' },
    adsOk,
    failing,
    own,
    replayId,
    once: await once(api, content),
  }
}

/** Leaves unfinished work: attempts without an answer, waits of an hour, and a paused webhook. */
export async function leaveWork(
  api: Caller,
  receiver: ScriptedReceiver,
  { content, ads }: History,
): Promise<void> {
  const inContent = new Hooks(api, receiver, content, 'content')
  const silent = await inContent.add('/silent', { kind: 'trick', trick: 'silence' })
  const waiting = await inContent.add('/waiting', { kind: 'status', status: 503 })
  const paused = await inContent.add('/paused', { kind: 'status', status: 503 })
  const inAds = new Hooks(api, receiver, ads, 'ads')
  const adsSilent = await inAds.add('/ads-silent', { kind: 'trick', trick: 'silence' })
  await api.post(`/v1/workspaces/${content.ws}/events`, content.key, contentEvent())
  await api.post('/api/v1/events', ads.key, adsEvent())
  await inContent.attempted(waiting)
  await inContent.attempted(paused)
  const path = `/v1/workspaces/${content.ws}/webhooks/${paused.id}`
  await api.done('PATCH', path, { token: content.key, body: { paused: true } })
  for (const { hook } of [silent, adsSilent]) await arrived(receiver, hook)
}

export const arrived = (receiver: ScriptedReceiver, hook: string) =>
  eventually(
    async () => {
      const requests = (await receiver.requests()).filter((request) => request.hook === hook)
      return requests.length > 0 ? requests : null
    },
    { withinMs: PATIENCE_MS, what: `a request at ${hook}` },
  )

/** Webhooks of one workspace, in the naming of its service. */
export class Hooks {
  readonly #api: Caller
  readonly #receiver: ScriptedReceiver
  readonly #account: Account
  readonly #dialect: 'content' | 'ads'

  constructor(api: Caller, receiver: ScriptedReceiver, account: Account, dialect: 'content' | 'ads') {
    this.#api = api
    this.#receiver = receiver
    this.#account = account
    this.#dialect = dialect
  }

  async add(hook: string, behavior: Behavior): Promise<Webhook> {
    const url = this.#receiver.urlOf(hook)
    const body =
      this.#dialect === 'content'
        ? { url, events: [CONTENT_TYPE], description: `answers at ${hook}` }
        : { url, types: [ADS_TYPE] }
    const made = await this.#api.post<Record<string, string>>(this.#path(), this.#account.key, body)
    await this.#listen(hook, behavior, (made.signing_secret ?? made.signingSecret)!)
    return { id: made.id!, hook }
  }

  async moveTo({ id }: Webhook, hook: string): Promise<void> {
    const url = this.#receiver.urlOf(hook)
    await this.#api.done('PATCH', `${this.#path()}/${id}`, { token: this.#account.key, body: { url } })
    await this.#listen(hook, { kind: 'prompt' }, null)
  }

  async rotate({ id, hook }: Webhook): Promise<void> {
    const rotated = await this.#api.post<Record<string, string>>(
      `${this.#path()}/${id}/rotate-secret`,
      this.#account.key,
    )
    await this.#receiver.addSecret(hook, (rotated.signing_secret ?? rotated.signingSecret)!)
  }

  deliveries({ id }: Webhook) {
    const path =
      this.#dialect === 'content'
        ? `${this.#path()}/${id}/deliveries?limit=100`
        : `/api/v1/webhook-deliveries?webhookId=${id}&limit=100`
    return this.#api
      .get<{ data: { id: string; status: string; attempts: object[] }[] }>(path, this.#account.key)
      .then(({ data }) => data)
  }

  /** Waits until there are as many deliveries and each has one of these final states. */
  ended(webhook: Webhook, statuses: readonly string[], atLeast: number): Promise<unknown> {
    return eventually(
      async () => {
        const deliveries = await this.deliveries(webhook)
        const all =
          deliveries.length >= atLeast && deliveries.every(({ status }) => statuses.includes(status))
        return all ? true : null
      },
      {
        withinMs: PATIENCE_MS,
        what: `${atLeast} deliveries at ${webhook.hook} that are ${statuses.join(' or ')}`,
      },
    )
  }

  attempted(webhook: Webhook): Promise<unknown> {
    return eventually(
      async () =>
        (await this.deliveries(webhook)).some(({ attempts }) => attempts.length > 0) ? true : null,
      { withinMs: PATIENCE_MS, what: `an attempt at ${webhook.hook}` },
    )
  }

  #path(): string {
    return this.#dialect === 'content' ? `/v1/workspaces/${this.#account.ws}/webhooks` : '/api/v1/webhooks'
  }

  #listen(path: string, behavior: Behavior, secret: string | null): Promise<void> {
    const scheme = this.#dialect === 'content' ? 'standard' : 'service'
    return this.#receiver.add({ path, scheme, secrets: secret === null ? [] : [secret], behavior })
  }
}

const SCOPES = {
  content: ['webhooks', 'generations:read', 'events:write'],
  ads: ['webhooks', 'events:write'],
} as const

/** Creates a workspace with two members, a session and two keys, one of them revoked. */
export async function openAccount(api: Caller, dialect: keyof typeof SCOPES): Promise<Account> {
  const scopes = SCOPES[dialect]
  const body = { dialect, slug: `${dialect}-moving`, name: `Für ${dialect}` }
  const { id: ws } = await api.post<{ id: string }>('/admin/v1/workspaces', ADMIN_TOKEN, body)
  const base = `/admin/v1/workspaces/${ws}`
  const member = (role: string) =>
    api.post<{ id: string }>(`${base}/members`, ADMIN_TOKEN, {
      email: `${role}@example.com`,
      name: role,
      role,
    })
  const owner = await member('owner')
  await member('viewer')
  const { token: session } = await api.post<{ token: string }>(
    `${base}/members/${owner.id}/sessions`,
    ADMIN_TOKEN,
  )
  const key = (name: string) =>
    api.post<{ id: string; key: string }>(`${base}/keys`, ADMIN_TOKEN, { name, scopes, member_id: owner.id })
  const [kept, revoked] = [await key('kept'), await key('revoked')]
  await api.done('DELETE', `${base}/keys/${revoked.id}`, { token: ADMIN_TOKEN })
  return { ws, key: kept.key, revokedKey: revoked.key, session }
}

async function deletedWorkspace(api: Caller): Promise<void> {
  const body = { dialect: 'content', slug: 'short-lived', name: 'Short-lived' }
  const { id } = await api.post<{ id: string }>('/admin/v1/workspaces', ADMIN_TOKEN, body)
  await api.done('DELETE', `/admin/v1/workspaces/${id}`, { token: ADMIN_TOKEN })
}

async function once(api: Caller, { ws, key: token }: Account): Promise<History['once']> {
  const path = `/v1/workspaces/${ws}/webhooks`
  const body = { url: 'https://receiver.example.com/once', events: ['version.approved'] }
  const key = randomUUID()
  return { path, body, key, answer: await api.post<object>(path, token, body, { 'idempotency-key': key }) }
}

function replayed(api: Caller, { key }: Account, id: string): Promise<unknown> {
  return eventually(
    async () => {
      const { status } = await api.get<{ status: string }>(`/api/v1/webhook-deliveries/replays/${id}`, key)
      return status === 'finished' ? true : null
    },
    { withinMs: PATIENCE_MS, what: 'the end of the replay' },
  )
}
