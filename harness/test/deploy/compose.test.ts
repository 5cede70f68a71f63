import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ScriptedReceiver } from '../../src/receivers/scriptedReceiver.ts'
import { Subscriber } from '../../src/subscribers/subscriber.ts'
import { EVENTS } from '../../src/support/events.ts'
import { freePort } from '../../src/support/freePort.ts'
import { fromDebian } from '../../src/support/installed.ts'
import { ADMIN_TOKEN, type PosthornProcess, type Settings, startService } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'
import { createWorkspace } from '../../src/support/workspaces.ts'
import { makeTestDatabase } from '../testStore.ts'

interface ComposeFile {
  readonly 'x-node': { readonly environment: Settings }
}

const COMPOSE = fileURLToPath(new URL('../../../deploy/compose', import.meta.url))
const caddyPackage = fromDebian('caddy')

let directory: string
let database: Awaited<ReturnType<typeof makeTestDatabase>>
let receiver: ScriptedReceiver
const nodes: PosthornProcess[] = []
let caddy: Subscriber | null = null

beforeAll(async () => {
  directory = makeDirectory()
  database = await makeTestDatabase()
  receiver = await ScriptedReceiver.start()
})

afterAll(async () => {
  await caddy?.stop()
  await Promise.all(nodes.map((node) => node.kill()))
  await receiver.stop()
  await database.remove()
  removeDirectory(directory)
})

/** The settings of a node of cluster.yaml, with addresses of this machine. */
function settingsOf(publicUrl: string, masterKey: string): Settings {
  const file = parse(readFileSync(path.join(COMPOSE, 'cluster.yaml'), 'utf8'), { merge: true }) as ComposeFile
  return {
    ...file['x-node'].environment,
    POSTHORN_DATABASE_URL: database.url,
    POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN,
    POSTHORN_MASTER_KEY: masterKey,
    POSTHORN_PUBLIC_URL: publicUrl,
    POSTHORN_TRUSTED_PROXIES: '127.0.0.1',
    POSTHORN_ADMIN_HOST: '127.0.0.1',
    POSTHORN_ADMIN_PORT: '0',
  }
}

async function startCaddy(port: number, urls: readonly string[]): Promise<Subscriber> {
  const program = path.join(await caddyPackage.home(), 'usr/bin/caddy')
  return Subscriber.start({
    command: [program, 'run', '--adapter', 'caddyfile', '--config', path.join(COMPOSE, 'Caddyfile')],
    directory,
    port,
    env: {
      POSTHORN_DOMAIN: `http://127.0.0.1:${port}`,
      POSTHORN_NODES: urls.map((url) => new URL(url).host).join(' '),
      CADDY_ADMIN: `127.0.0.1:${await freePort()}`,
      XDG_CONFIG_HOME: directory,
      XDG_DATA_HOME: directory,
    },
  })
}

test('behind Caddy publishing continues when a node stops, and admin routes are not reachable', async ({
  skip,
}) => {
  const missing = await caddyPackage.provide()
  skip(missing !== null, String(missing))
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const settings = settingsOf(publicUrl, randomBytes(32).toString('base64'))
  for (const name of ['one', 'two'])
    nodes.push(await startService({ dataDir: path.join(directory, name), settings }))
  caddy = await startCaddy(
    port,
    nodes.map(({ url }) => url),
  )
  const { admin_url: adminUrl } = await nodes[0]!.logged('posthorn is listening')
  for (const hidden of [
    '/metrics',
    '/admin/v1/workspaces',
    '//admin/v1/workspaces',
    '/admin%2fv1/workspaces',
  ]) {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    expect([hidden, (await fetch(publicUrl + hidden, { headers })).status]).toEqual([hidden, 404])
  }
  expect((await fetch(`${String(adminUrl)}/metrics`)).status).toBe(200)

  const { common, make } = EVENTS.content
  let base = String(adminUrl)
  const made = await createWorkspace(() => base, 'content', 'compose')
  base = publicUrl
  const { id, secret } = await made.createWebhook(receiver.urlOf('/hook'), [common])
  await receiver.add({
    path: '/hook',
    scheme: made.scheme,
    secrets: [secret],
    behavior: { kind: 'prompt' },
  })
  const published: string[] = []
  let ended = false
  const publishing = (async () => {
    while (!ended) published.push(...(await made.publish([make(common)])))
  })()
  const publishes = async (count: number) => {
    const goal = published.length + count
    await Promise.race([
      publishing,
      eventually(() => (published.length >= goal ? true : null), { withinMs: 20_000, what: 'publishes' }),
    ])
  }
  await publishes(20)
  await nodes[1]!.stop()
  await publishes(20)
  ended = true
  await publishing
  const delivered = await eventually(
    async () => {
      const log = await made.deliveries(id)
      return log.every(({ status }) => status === 'delivered') ? log : null
    },
    { withinMs: 30_000, what: 'delivery of all events' },
  )
  expect(delivered.map(({ eventId }) => eventId).sort()).toEqual(published.sort())
})
