import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { type PosthornProcess, type Settings, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually, within } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { makeTestDatabase } from './testStore.ts'

// The newest kept release, packed as it was published, before the program of today.

const SERVER = fileURLToPath(new URL('../../packages/server', import.meta.url))
const RELEASES = path.join(SERVER, 'test/storage/releases')
const release = readdirSync(RELEASES, { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  .at(-1)!

const { common, make } = EVENTS.content
const DELIVERED_WITHIN_MS = 20_000

let directory: string
let receiver: ScriptedReceiver
let running: PosthornProcess[]

beforeEach(async () => {
  directory = makeDirectory()
  receiver = await ScriptedReceiver.start()
  running = []
})

afterEach(async () => {
  await Promise.all([receiver.stop(), ...running.map((service) => service.kill())])
  removeDirectory(directory)
})

/** Within the server's `node_modules`, where it finds its dependencies. @returns its program */
function unpack(): string {
  const target = path.join(SERVER, 'node_modules/.cache/releases', release)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', path.join(RELEASES, release, 'server.tgz'), '-C', target])
  return path.join(target, 'package/bin/posthorn.js')
}

async function start(node: string, settings: Settings, program?: string): Promise<PosthornProcess> {
  const dataDir = path.join(directory, node)
  const service = await startService({ dataDir, settings, ...(program === undefined ? {} : { program }) })
  running.push(service)
  return service
}

/** A webhook, and whether all that was published to it has arrived as it should. */
async function subscribe(url: () => string) {
  const workspace = await createWorkspace(url, 'content', 'releases')
  const { id, secret } = await workspace.createWebhook(receiver.urlOf('/hook'), [common])
  const behaviour = { kind: 'prompt' } as const
  await receiver.add({ path: '/hook', scheme: workspace.scheme, secrets: [secret], behaviour })
  const published = new Set<string>()
  return {
    async publish(): Promise<void> {
      for (const event of await workspace.publish([make(common), make(common)])) published.add(event)
    },
    async expectDelivered(): Promise<void> {
      const log = await eventually(
        async () => {
          const deliveries = await workspace.deliveries(id)
          return deliveries.every(({ status }) => status === 'delivered') ? deliveries : null
        },
        { withinMs: DELIVERED_WITHIN_MS, what: 'delivery of all events' },
      )
      expect(new Set(log.map(({ eventId }) => eventId))).toEqual(published)
      const requests = await receiver.requests()
      const taken = requests.filter(({ status, forgery }) => status === 204 && forgery === null)
      expect(new Set(taken.map(({ eventId }) => eventId))).toEqual(published)
      expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
    },
  }
}

test(`what ${release} stored and could not deliver, this program delivers from its data directory`, async () => {
  const settings = { POSTHORN_CONTENT_RETRY: '1s,1s,1s,1s' }
  const before = await start('data', settings, unpack())
  let service = before
  const webhook = await subscribe(() => service.url)
  await receiver.behave('/hook', { kind: 'status', status: 503 })
  for (let i = 0; i < 5; i++) await webhook.publish()
  expect(await before.stop()).toEqual({ code: 0, signal: null })
  await receiver.behave('/hook', { kind: 'prompt' })
  service = await start('data', settings)
  await webhook.publish()
  await webhook.expectDelivered()
})

test(`nodes of ${release} end when this program has changed the schema, and what they had it delivers`, async () => {
  const database = await makeTestDatabase()
  const settings = {
    ...database.settings,
    POSTHORN_MASTER_KEY: randomBytes(32).toString('base64'),
    POSTHORN_LEASE: '2s',
    POSTHORN_CONTENT_RETRY: '1s,1s,1s,1s',
  }
  try {
    const before = await start('before', settings, unpack())
    let node = before
    const webhook = await subscribe(() => node.url)
    await webhook.publish()
    await webhook.expectDelivered()

    // It ends with deliveries in hand.
    await receiver.behave('/hook', { kind: 'slow', delayMs: 500 })
    for (let i = 0; i < 20; i++) await webhook.publish()
    node = await start('after', settings)
    expect(await within(before.exited, 20_000, 'end of the node')).toEqual({ code: 1, signal: null })
    expect(before.stderr).toMatch(/^posthorn: the database has schema version \d+, this program knows \d+/)
    await webhook.publish()
    await webhook.expectDelivered()
  } finally {
    await Promise.all(running.map((service) => service.kill()))
    await database.remove()
  }
})
