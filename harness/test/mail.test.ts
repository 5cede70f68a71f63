import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Gate } from '../src/mail/gate.ts'
import { type Fate, MailServer } from '../src/mail/mailServer.ts'
import { readMail } from '../src/mail/message.ts'
import { query } from '../src/postgres/query.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { makeTestDatabase } from './testStore.ts'

const NODES = [0, 1, 2]
const WORKSPACES = 3
/** As many as a workspace may have. */
const WEBHOOKS = 20
const KILLS = 6
const PATIENCE_MS = 120_000

let directory: string
let receiver: ScriptedReceiver
const ends: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  directory = makeDirectory()
  receiver = await ScriptedReceiver.start()
  const behavior = { kind: 'status', status: 500 } as const
  await receiver.add({ path: '/failing', scheme: 'standard', secrets: [], behavior })
  const gone = { kind: 'status', status: 410 } as const
  await receiver.add({ path: '/gone', scheme: 'standard', secrets: [], behavior: gone })
})

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
  await receiver.stop()
  removeDirectory(directory)
})

/** A workspace whose key belongs to a member, who gets e-mails about its webhooks. */
async function makeWorkspace(api: Api, slug: string) {
  const token = ADMIN_TOKEN
  const body = { dialect: 'content', slug, name: `Workspace ${slug}` }
  const { id } = await api.post<{ id: string }>('/admin/v1/workspaces', { token, body })
  const email = `${slug}@example.com`
  const member = await api.post<{ id: string }>(`/admin/v1/workspaces/${id}/members`, {
    token,
    body: { email, name: 'Olga Owner', role: 'owner' },
  })
  const { key } = await api.post<{ key: string }>(`/admin/v1/workspaces/${id}/keys`, {
    token,
    body: { name: 'test', scopes: ['webhooks', 'generations:read', 'events:write'], member_id: member.id },
  })
  const { common, make } = EVENTS.content
  return {
    email,
    createWebhook: (url: string, description: string) =>
      api.post(`/v1/workspaces/${id}/webhooks`, { token: key, body: { url, description, events: [common] } }),
    publish: () => {
      const { type, content } = make(common)
      return api.post(`/v1/workspaces/${id}/events`, { token: key, body: { type, data: content } })
    },
  }
}

async function startOnDatabase() {
  const database = await makeTestDatabase()
  ends.push(() => database.remove())
  const masterKey = randomBytes(32).toString('base64')
  const start = async (node: number, server: MailServer): Promise<PosthornProcess> => {
    const settings = {
      ...database.settings,
      POSTHORN_MASTER_KEY: masterKey,
      POSTHORN_PUBLIC_URL: 'https://hooks.example.com',
      POSTHORN_LEASE: '8s',
      POSTHORN_FAILING_AFTER: '2s',
      POSTHORN_CONTENT_RETRY: '1s,1s,1s,1s,1s,1s,1s,1s',
      POSTHORN_SMTP_URL: server.url,
      POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>',
    }
    const service = await startService({ dataDir: path.join(directory, `node${node}`), settings })
    ends.push(() => service.kill())
    return service
  }
  const count = async (condition: string): Promise<number> => {
    const [row] = await query(
      database.url,
      `SELECT count(*)::int AS n FROM posthorn.notifications WHERE ${condition}`,
    )
    return row!.n as number
  }
  return { url: database.url, start, count }
}

async function startMailServer(options: Parameters<typeof MailServer.start>[0]): Promise<MailServer> {
  const server = await MailServer.start(options)
  ends.push(() => server.stop())
  return server
}

const once = (what: string, condition: () => Promise<boolean> | boolean) =>
  eventually(async () => ((await condition()) ? true : null), { withinMs: PATIENCE_MS, what })

const WAITING = 'sent_at IS NULL AND given_up_at IS NULL'

test('three nodes that are killed and restarted send each message once', {
  timeout: 400_000,
}, async () => {
  const { start, count } = await startOnDatabase()
  const gate = new Gate()
  const servers = await Promise.all(
    NODES.map((node) => startMailServer({ onMessage: () => gate.arrival(node) })),
  )
  const accepted = () => servers.flatMap((server) => server.accepted)
  const nodes = await Promise.all(NODES.map((node) => start(node, servers[node]!)))
  const api = new Api(() => nodes[0]!.url)
  const expected: string[] = []
  for (let i = 0; i < WORKSPACES; i++) {
    const workspace = await makeWorkspace(api, `shop${i}`)
    for (let n = 0; n < WEBHOOKS; n++) {
      const name = `Webhook ${n} of shop ${i}`
      await workspace.createWebhook(receiver.urlOf(`/failing/${i}/${n}`), name)
      expected.push(`${workspace.email}: Webhook disabled: ${name}`)
    }
    await workspace.publish()
  }
  await once('all webhooks off', async () => (await count(`kind = 'webhook_off'`)) === expected.length)

  for (let kill = 0; kill < KILLS; kill++) {
    const node = kill % NODES.length
    gate.close()
    await once('a message of the node that is to die', () => gate.holds(node))
    await once('all that was accepted to be marked', async () => {
      return (await count('sent_at IS NOT NULL')) === accepted().length
    })
    await nodes[node]!.kill()
    gate.open(4, node)
    nodes[node] = await start(node, servers[node]!)
  }
  gate.open(Number.POSITIVE_INFINITY)
  await once('all messages', async () => (await count(WAITING)) === 0)

  const off = accepted().filter(({ headers }) => headers.get('subject')!.includes('Webhook disabled'))
  expect(off.map(({ to, headers }) => `${to}: ${headers.get('subject')}`).sort()).toEqual(expected.sort())
  const ids = accepted().map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await count('sent_at IS NOT NULL')).toBe(ids.length)
  // Every killed node had sent messages that were not accepted yet; they were still delivered.
  const broken = servers.flatMap((server) => server.arrived).length - ids.length
  expect(broken).toBeGreaterThanOrEqual(KILLS)
})

test('a node that dies between acceptance and record sends a second copy with the same Message-ID', async () => {
  const { url, start, count } = await startOnDatabase()
  const holder = new pg.Client({ connectionString: url, ssl: false })
  await holder.connect()
  ends.push(() => holder.end())
  let arrivals = 0
  const server = await startMailServer({
    async onMessage(): Promise<Fate> {
      if (++arrivals > 1) return 'accept'
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM posthorn.notifications FOR UPDATE')
      return 'accept'
    },
  })
  const first = await start(0, server)
  const workspace = await makeWorkspace(new Api(() => first.url), 'shop')
  await workspace.createWebhook(receiver.urlOf('/gone'), 'Orders')
  await workspace.publish()
  await once('acceptance', () => server.accepted.length === 1)
  await first.kill()
  await holder.query('ROLLBACK')
  expect(await count(WAITING)).toBe(1)
  await start(1, server)
  await once('the second copy', async () => (await count(WAITING)) === 0)
  const [one, other] = server.accepted
  expect(server.accepted).toHaveLength(2)
  expect(other!.messageId).toBe(one!.messageId)
  expect(other!.raw).toBe(one!.raw)
})

test('without a mail server messages are files in the data directory, which the log names', async () => {
  const dataDir = path.join(directory, 'data')
  const service = await startService({
    dataDir,
    settings: { POSTHORN_PUBLIC_URL: 'https://hooks.example.com/' },
  })
  ends.push(() => service.kill())
  const workspace = await makeWorkspace(new Api(() => service.url), 'shop')
  await workspace.createWebhook(receiver.urlOf('/gone'), 'Orders')
  await workspace.publish()
  await once('the file', () => service.stdout.includes('e-mail written to a file'))
  const [name, ...rest] = readdirSync(path.join(dataDir, 'emails'))
  expect(rest).toEqual([])
  const file = path.join(dataDir, 'emails', name!)
  expect(service.stdout).toContain(`"file":"${file}"`)
  const mail = readMail(readFileSync(file, 'utf8'))
  expect(mail.headers.get('to')).toBe(`Olga Owner <${workspace.email}>`)
  expect(mail.text).toContain('https://hooks.example.com/w/shop/webhooks/wh_')
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
  // The log line comes before the update of the store.
  await once('the mark', async () => (await metrics()).includes('posthorn_emails_waiting 0'))
  expect(await metrics()).toContain('posthorn_emails_total{kind="webhook_off",outcome="sent"} 1')
  expect(await service.stop()).toEqual({ code: 0, signal: null })
})
