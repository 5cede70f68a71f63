import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { type PosthornProcess, runPosthorn, type Settings, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { makeTestDatabase } from './testStore.ts'

// The newest kept release, packed as published, before the current program. 0.1.0 has other texts than the current
// program.

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

/** A webhook, and a check that all published events have arrived correctly. */
async function subscribe(url: () => string) {
  const workspace = await createWorkspace(url, 'content', 'releases')
  const { id, secret } = await workspace.createWebhook(receiver.urlOf('/hook'), [common])
  const behavior = { kind: 'prompt' } as const
  await receiver.add({ path: '/hook', scheme: workspace.scheme, secrets: [secret], behavior })
  const published = new Set<string>()
  return {
    async publish(): Promise<readonly string[]> {
      const events = await workspace.publish([make(common), make(common)])
      for (const event of events) published.add(event)
      return events
    },
    /** @param undone events that a restore discarded */
    async expectDelivered(undone: readonly string[] = []): Promise<void> {
      const log = await eventually(
        async () => {
          const deliveries = await workspace.deliveries(id)
          return deliveries.every(({ status }) => status === 'delivered') ? deliveries : null
        },
        { withinMs: DELIVERED_WITHIN_MS, what: 'delivery of all events' },
      )
      const kept = [...published].filter((event) => !undone.includes(event))
      expect(new Set(log.map(({ eventId }) => eventId))).toEqual(new Set(kept))
      const requests = await receiver.requests()
      const taken = requests.filter(({ status, forgery }) => status === 204 && forgery === null)
      expect(new Set(taken.map(({ eventId }) => eventId))).toEqual(published)
      expect(requests.filter(({ forgery }) => forgery !== null)).toEqual([])
    },
  }
}

/** Without an empty log and its index, which SQLite creates wherever it reads. */
const filesIn = (at: string) =>
  readdirSync(at)
    .filter((name) => !name.endsWith('-shm') && statSync(path.join(at, name)).size > 0)
    .sort()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(path.join(at, name)))
        .digest('hex'),
    ])

test(`this program delivers the pending deliveries of ${release} from its data directory; a backup goes back`, async () => {
  const settings = { POSTHORN_CONTENT_RETRY: '1s,1s,1s,1s' }
  const program = unpack()
  const dataDir = path.join(directory, 'data')
  const ofStore = { POSTHORN_DATA_DIR: dataDir }
  const before = await start('data', settings, program)
  let service = before
  const webhook = await subscribe(() => service.url)
  await receiver.behave('/hook', { kind: 'status', status: 503 })
  for (let i = 0; i < 5; i++) await webhook.publish()
  expect(await before.stop()).toEqual({ code: 0, signal: null })

  const files = filesIn(dataDir)
  const plan = await runPosthorn(['migrate', '--plan'], ofStore)
  expect([plan.code, plan.stderr]).toEqual([3, ''])
  expect(plan.stdout).toContain('Back:    restore a backup')
  expect(filesIn(dataDir)).toEqual(files)
  const backup = path.join(directory, 'before.db')
  expect((await runPosthorn(['backup', backup], ofStore)).code).toBe(0)

  await receiver.behave('/hook', { kind: 'prompt' })
  service = await start('data', settings)
  const afterwards = await webhook.publish()
  await webhook.expectDelivered()
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  expect((await runPosthorn(['migrate', '--plan'], ofStore)).code).toBe(0)

  const refused = await runPosthorn(['serve'], { ...ofStore, POSTHORN_PORT: '0' }, { program })
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^posthorn: [^\n]+(this program knows|this release supports up to) \d+[^\n]*\n$/),
  ])
  expect((await runPosthorn(['restore', '--force', backup], ofStore, { program })).code).toBe(0)
  service = await start('data', settings, program)
  await webhook.publish()
  await webhook.expectDelivered(afterwards)
})

test(`nodes of ${release} keep this program from starting, and it delivers their deliveries later`, async () => {
  const database = await makeTestDatabase()
  const settings = {
    ...database.settings,
    POSTHORN_MASTER_KEY: randomBytes(32).toString('base64'),
    POSTHORN_LEASE: '2s',
    POSTHORN_CONTENT_RETRY: '1s,1s,1s,1s',
  }
  const program = unpack()
  const ofNode = (node: string) => ({
    ...settings,
    POSTHORN_PORT: '0',
    POSTHORN_DATA_DIR: path.join(directory, node),
  })
  try {
    const before = [await start('one', settings, program), await start('two', settings, program)] as const
    let node: PosthornProcess = before[0]
    const webhook = await subscribe(() => node.url)
    await webhook.publish()
    await webhook.expectDelivered()

    const plan = await runPosthorn(['migrate', '--plan'], ofNode('three'))
    expect([plan.code, plan.stderr]).toEqual([3, ''])
    expect(plan.stdout).toContain('2 nodes are running. Older nodes cannot work with the new schema.')
    expect(plan.stdout).not.toContain('null')
    for (const command of ['serve', 'migrate']) {
      const { code, stderr } = await runPosthorn([command], ofNode('three'))
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^posthorn: 2 nodes of an earlier release are running, [^\n]+\n$/),
      ])
    }

    // One is stopped and one dies, with deliveries in flight.
    await receiver.behave('/hook', { kind: 'slow', delayMs: 500 })
    for (let i = 0; i < 20; i++) {
      node = before[i % 2]!
      await webhook.publish()
    }
    await Promise.all([before[0].stop(), before[1].kill()])
    node = await eventually(() => start('three', settings).catch(() => null), {
      withinMs: 20_000,
      everyMs: 500,
      what: 'the end of the lease of the node that died',
    })
    await webhook.publish()
    await webhook.expectDelivered()
    const back = await runPosthorn(['serve'], ofNode('one'), { program })
    expect([back.code, back.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^posthorn: the database has schema version \d+, (this program knows|this release supports up to) \d+[^\n]*\n$/,
      ),
    ])
  } finally {
    await Promise.all(running.map((service) => service.kill()))
    await database.remove()
  }
})
