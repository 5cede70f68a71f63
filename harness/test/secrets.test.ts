import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Behaviour } from '../src/receivers/behaviour.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { ForwardProxy } from '../src/support/forwardProxy.ts'
import { Api } from '../src/support/http.ts'
import { runPosthorn } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { useServing } from './serving.ts'

const serving = useServing()

const newSecret = (prefix: string) => `${prefix}${randomBytes(24).toString('hex')}`
/** Files of the data directory that hold a secret, for the operator alone. */
const KEY_FILES = ['admin-token', 'master-key']
const PASSWORDS = { smtp: newSecret('smtp-password-'), proxy: newSecret('proxy-password-') }
const KEYS = { admin: newSecret('admin-token-'), master: randomBytes(32).toString('base64') }

/** What may appear in no output, by what it is. */
class Secrets {
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

  /** @returns the secrets that a text has, in any of the forms in which one is usually written */
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
 * Everything that hands out a secret, and every way of using one, rightly and wrongly.
 * @returns sessions of owners by workspace
 */
async function useEverySecret(
  url: string,
  receiver: ScriptedReceiver,
  secrets: Secrets,
): Promise<Map<string, string>> {
  const api = new Api(() => url)
  const token = KEYS.admin
  const owners = new Map<string, string>()
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
    // In places where they do not belong.
    for (const value of secrets.values) {
      const text = encodeURIComponent(value)
      const headers = { authorization: `Bearer ${value}` }
      await fetch(`${url}/v1/workspaces/${workspace.id}/events?key=${text}&cursor=${text}`, { headers })
      await fetch(`${url}/v1/workspaces/${text}/webhooks`, { headers: { authorization: `Basic ${value}` } })
      await fetch(`${url}/${text}`, { headers: { cookie: `session=${value}`, 'user-agent': value } })
      await fetch(`${url}/console/v1/session`, { method: 'POST', body: `{"token": "${value}", "x": ` })
    }
  }
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
  const add = (name: string, made: Webhook, behaviour: Behaviour) =>
    receiver.add({ path: `/${name}-${dialect}`, scheme, secrets: [noteSecret(made)], behaviour })
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

const READ = {
  admin: [
    ...[
      'workspaces',
      'services',
      'operators',
      'audit-log',
      'status',
      'overview',
      'figures',
      'failing-webhooks',
    ],
    ...['workspace-figures', 'nodes', 'master-keys', 'warnings', 'outages', 'operational-webhook'],
  ].map((name) => `/admin/v1/${name}`),
  open: [
    ...[
      '/',
      '/docs',
      '/metrics',
      '/openapi/content.json',
      '/openapi/admin.json',
      '/openapi/console.json',
      '/asyncapi.json',
    ],
    ...['/readyz', '/healthz', '/receive/content/node.md', '/.well-known/webhook-keys/none'],
  ],
}

/** What the service answers to everything that reads. */
async function readAll(url: string, owners: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const api = new Api(() => url)
  const answers = new Map<string, string>()
  const read = async <T>(place: string, token: string = KEYS.admin): Promise<T> => {
    const answer = await api.get<T>(place, { token })
    answers.set(place, JSON.stringify(answer))
    return answer
  }
  for (const place of READ.open) answers.set(place, await (await fetch(url + place)).text())
  for (const place of READ.admin) await read(place)
  for (const [id, owner] of owners) {
    for (const name of ['members', 'keys']) await read(`/admin/v1/workspaces/${id}/${name}`)
    for (const name of ['webhooks', 'events', 'consumers', 'operational-webhook', 'audit-log'])
      await read(`/v1/workspaces/${id}/${name}`, owner)
    const { data } = await read<{ data: { id: string; webhook_id: string }[] }>(
      `/v1/workspaces/${id}/deliveries`,
      owner,
    )
    for (const { id: delivery, webhook_id: webhook } of data)
      await read(`/v1/workspaces/${id}/webhooks/${webhook}/deliveries/${delivery}`, owner)
  }
  return answers
}

const filesOf = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !KEY_FILES.includes(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))

test('no secret is in a log, a metric, an answer, a command, the list of processes or the store', async () => {
  const receiver = await ScriptedReceiver.start()
  const proxy = await ForwardProxy.start()
  try {
    const secrets = new Secrets()
    const settings = {
      POSTHORN_ADMIN_TOKEN: KEYS.admin,
      POSTHORN_MASTER_KEY: KEYS.master,
      POSTHORN_LOG_LEVEL: 'debug',
      POSTHORN_EGRESS_PROXY: proxy.url.replace('//', `//mira:${PASSWORDS.proxy}@`),
      POSTHORN_SMTP_URL: `smtp://mira:${PASSWORDS.smtp}@127.0.0.1:9`,
      POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>',
    }
    const service = await serving.start(settings)
    const owners = await useEverySecret(service.url, receiver, secrets)
    await eventually(() => (service.stdout.match(/attempt ended/g)?.length ?? 0) >= 6 || null, {
      withinMs: 30_000,
      what: 'attempts of all webhooks',
    })
    const outputs = await readAll(service.url, owners)
    const of = { ...serving.settings, ...settings, POSTHORN_PUBLIC_URL: service.url }
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['config', 'check'],
      ['workspace', 'list'],
      ['serve', '--help'],
    ]) {
      const { stdout, stderr } = await runPosthorn(args, of)
      outputs.set(`posthorn ${args.join(' ')}`, stdout + stderr)
    }
    outputs.set('list of processes', readFileSync(`/proc/${service.pid}/cmdline`, 'latin1'))
    await service.stop()
    outputs.set('log', service.stdout)
    outputs.set('stderr', service.stderr)
    for (const file of filesOf(serving.directory)) outputs.set(file, readFileSync(file, 'latin1'))

    expect(secrets.in(`x=${encodeURIComponent(KEYS.master)}`)).toEqual(['master'])
    expect(outputs.get('log')).toContain('attempt ended')
    expect(outputs.get('/metrics')).toContain('posthorn_')
    expect(secrets.values.length).toBeGreaterThan(30)
    const found = [...outputs].flatMap(([output, text]) =>
      secrets.in(text).map((name) => `${name} is in ${output}`),
    )
    expect(found).toEqual([])
  } finally {
    proxy.stop()
    await receiver.stop()
  }
})
