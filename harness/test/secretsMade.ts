import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Behavior } from '../src/receivers/behavior.ts'
import type { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { Api } from '../src/support/http.ts'

const newSecret = (prefix: string) => `${prefix}${randomBytes(24).toString('hex')}`
/** For services that Posthorn connects to. */
export const PASSWORDS = {
  smtp: newSecret('smtp-password-'),
  proxy: newSecret('proxy-password-'),
  collector: newSecret('collector-key-'),
  oidcClient: newSecret('oidc-client-secret-'),
}
export const KEYS = { admin: newSecret('admin-token-'), master: randomBytes(32).toString('base64') }

/** Values that may not appear in any output, by name. */
export class Secrets {
  readonly #values = new Map<string, string>(Object.entries({ ...PASSWORDS, ...KEYS }))

  /** @returns the secret itself */
  note(name: string, value: string): string {
    expect(value.length).toBeGreaterThan(20)
    this.#values.set(`${name} ${this.#values.size}`, value)
    return value
  }

  get values(): readonly string[] {
    return [...this.#values.values()]
  }

  /** @returns the secrets in a text, in any of their usual encodings */
  in(text: string): string[] {
    return [...this.#values]
      .filter(([, value]) => formsOf(value).some((form) => text.includes(form)))
      .map(([name]) => name)
  }
}

function formsOf(secret: string): readonly string[] {
  const bare = secret.replace(/^(whsec|ph[a-z])_/, '')
  const bytes = Buffer.from(secret)
  return [
    secret,
    bare,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
  ]
}

interface Webhook {
  readonly id: string
  readonly signing_secret?: string
  readonly signingSecret?: string
}

/**
 * Calls everything that returns a secret, and uses each one, rightly and wrongly.
 * @returns sessions of owners by workspace
 */
export async function useEverySecret(
  url: string,
  receiver: ScriptedReceiver,
  secrets: Secrets,
): Promise<Map<string, string>> {
  const api = new Api(() => url)
  const token = KEYS.admin
  const owners = new Map<string, string>()
  const made = await api.post<{ token: string }>('/admin/v1/admin-tokens', {
    token,
    body: { name: 'terraform' },
  })
  secrets.note('made admin token', made.token)
  for (const dialect of ['content', 'ads', 'standard']) {
    const workspace = await api.post<{ id: string }>('/admin/v1/workspaces', {
      token,
      body: { dialect, slug: `secrets-${dialect}`, name: dialect },
    })
    const base = `/admin/v1/workspaces/${workspace.id}`
    const scopes =
      dialect === 'content' ? ['webhooks', 'generations:read', 'events:write'] : ['webhooks', 'events:write']
    const { key } = await api.post<{ key: string }>(`${base}/keys`, { token, body: { name: 'all', scopes } })
    secrets.note('API key', key)
    const member = await api.post<{ id: string }>(`${base}/members`, {
      token,
      body: { email: `${dialect}@example.com`, name: 'Mira', role: 'owner' },
    })
    const session = await api.post<{ token: string }>(`${base}/members/${member.id}/sessions`, {
      token,
      body: {},
    })
    secrets.note('session', session.token)
    if (dialect !== 'ads') owners.set(workspace.id, session.token)
    const portal = await api.post<{ url: string }>(`${base}/members/${member.id}/portal-links`, {
      token,
      body: {},
    })
    const link = await api.post<{ url: string }>('/admin/v1/sign-in-links', {
      token,
      body: { email: `${dialect}@example.com` },
    })
    for (const [page, { url: address }] of [
      ['portal', portal],
      ['sign-in', link],
    ] as const) {
      const [, once] = address.split('#')
      secrets.note(`${page} link`, once!)
      const signedIn = await fetch(`${url}/console/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ token: once, page }),
      })
      expect([page, signedIn.status]).toEqual([page, 200])
      secrets.note('cookie', /=([^;]+)/.exec(signedIn.headers.get('set-cookie')!)![1]!)
    }
    await useWebhooks(api, receiver, { dialect, workspace: workspace.id, key, secrets })
    // In wrong places.
    for (const value of secrets.values) {
      const text = encodeURIComponent(value)
      const headers = { authorization: `Bearer ${value}` }
      await fetch(`${url}/v1/workspaces/${workspace.id}/events?key=${text}&cursor=${text}`, { headers })
      await fetch(`${url}/v1/workspaces/${text}/webhooks`, { headers: { authorization: `Basic ${value}` } })
      await fetch(`${url}/${text}`, { headers: { cookie: `session=${value}`, 'user-agent': value } })
      await fetch(`${url}/console/v1/session`, { method: 'POST', body: `{"token": "${value}", "x": ` })
    }
  }
  // Nothing answers there.
  const begun = await fetch(`${url}/sign-in/provider`, { redirect: 'manual' })
  expect(begun.headers.get('location')).toContain('failed=provider_down')
  return owners
}

async function useWebhooks(
  api: Api,
  receiver: ScriptedReceiver,
  { dialect, workspace, key, secrets }: { dialect: string; workspace: string; key: string; secrets: Secrets },
): Promise<void> {
  const isAds = dialect === 'ads'
  const base = isAds ? '/api/v1' : `/v1/workspaces/${workspace}`
  const hooks = `${base}/webhooks`
  const noteSecret = (made: Webhook) =>
    secrets.note('signing secret', (made.signing_secret ?? made.signingSecret)!)
  const types = isAds
    ? ['campaign.status_changed.v1']
    : dialect === 'content'
      ? ['schedule.cancel_required']
      : ['invoice.paid']
  const body = (name: string) => ({ url: receiver.urlOf(`/${name}`), [isAds ? 'types' : 'events']: types })
  const fine = await api.post<Webhook>(hooks, { token: key, body: body(`fine-${dialect}`) })
  const failing = await api.post<Webhook>(hooks, { token: key, body: body(`failing-${dialect}`) })
  const scheme = isAds ? ('service' as const) : ('standard' as const)
  const add = (name: string, made: Webhook, behavior: Behavior) =>
    receiver.add({ path: `/${name}-${dialect}`, scheme, secrets: [noteSecret(made)], behavior })
  await add('fine', fine, { kind: 'prompt' })
  await add('failing', failing, { kind: 'status', status: 500 })
  noteSecret(await api.post<Webhook>(`${hooks}/${fine.id}/rotate-secret`, { token: key, body: {} }))
  noteSecret(
    await api.post<Webhook>(`${base}/operational-webhook`, {
      token: key,
      body: { url: receiver.urlOf('/operational') },
    }),
  )
  const content = isAds
    ? {
        entityType: 'campaign',
        entityId: '0196f2a0-0000-7000-8000-000000000001',
        payload: { from: 'paused', to: 'active' },
      }
    : { data: dialect === 'content' ? { subject_id: 'sch_1' } : { invoice: 'in_1' } }
  await api.post(`${base}/events`, { token: key, body: { type: types[0], ...content } })
}
