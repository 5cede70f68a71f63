import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Behavior } from '../src/receivers/behavior.ts'
import { ScriptedReceiver, type SeenRequest } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { Api } from '../src/support/http.ts'
import { type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { makeTestDatabase, type TestStore } from './testStore.ts'

const HOOK = '/limited'
const FREE = '/free'
const TYPE = EVENTS.content.common
const PATIENCE = { withinMs: 100_000, everyMs: 50 }

interface Store {
  readonly name: string
  readonly nodes: number
  readonly make: () => Promise<TestStore>
}

const STORES: readonly Store[] = [
  { name: 'one process on SQLite', nodes: 1, make: async () => ({ settings: {}, remove: async () => {} }) },
  ...dose([2], [2, 3]).map((nodes) => ({
    name: `${nodes} nodes on PostgreSQL`,
    nodes,
    make: makeTestDatabase,
  })),
]

interface Webhook {
  readonly backlog: { readonly length: number; readonly empty_at: string | null } | null
}

/** The highest number of concurrent requests. */
function mostAtOnce(seen: readonly SeenRequest[]): number {
  const changes = seen
    .flatMap(({ seenAt, closedAt }) => [
      { at: seenAt, by: 1 },
      { at: closedAt ?? Number.POSITIVE_INFINITY, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by)
  let [open, most] = [0, 0]
  for (const { by } of changes) {
    open += by
    most = Math.max(most, open)
  }
  return most
}

/** The highest number of requests started within a time. */
function mostWithin(seen: readonly SeenRequest[], ms: number): number {
  const times = seen.map(({ seenAt }) => seenAt).sort((a, b) => a - b)
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + ms).length))
}

describe.each(STORES)('$name', ({ nodes: count, make }) => {
  let directory: string
  let store: TestStore
  let receiver: ScriptedReceiver
  let nodes: PosthornProcess[] = []
  let workspace: WorkspaceClient
  let api: Api
  let start: (node: number) => Promise<PosthornProcess>
  let turn = 0
  const next = () => nodes[turn++ % nodes.length]!.url

  beforeEach(async () => {
    directory = makeDirectory()
    store = await make()
    receiver = await ScriptedReceiver.start()
    const masterKey = randomBytes(32).toString('base64')
    start = (node) =>
      startService({
        dataDir: path.join(directory, `node-${node}`),
        settings: {
          ...store.settings,
          POSTHORN_MASTER_KEY: masterKey,
          ...(count === 1 ? {} : { POSTHORN_LEASE: '2s' }),
        },
      })
    nodes = await Promise.all(Array.from({ length: count }, (_, node) => start(node)))
    workspace = await createWorkspace(next, 'content', 'limited')
    api = new Api(next)
  })

  afterEach(async () => {
    await Promise.all([...nodes.map((node) => node.kill()), receiver.stop()])
    await store.remove()
    removeDirectory(directory)
  })

  /** Adds a webhook and sets how its receiver answers. */
  async function hook(at: string, limit: object, behavior: Behavior): Promise<string> {
    const { id, secret } = await workspace.createWebhook(receiver.urlOf(at), [TYPE])
    if (Object.keys(limit).length > 0)
      await api.patch(workspace.webhookPath(id), { token: workspace.key, body: limit })
    await receiver.add({ path: at, scheme: workspace.scheme, secrets: [secret], behavior })
    return id
  }

  /** Through every node in turn. */
  async function publish(events: number): Promise<void> {
    for (let left = events; left > 0; left -= 20)
      await workspace.publish(Array.from({ length: Math.min(left, 20) }, () => EVENTS.content.make(TYPE)))
  }

  const at = async (where: string) => (await receiver.requests()).filter(({ hook }) => hook === where)

  const arrived = (where: string, requests: number) =>
    eventually(
      async () => {
        const seen = await at(where)
        return seen.length >= requests ? seen : null
      },
      { ...PATIENCE, what: `${requests} requests at ${where}` },
    )

  test('a rate limit applies across all nodes, and does not delay a webhook without one', async () => {
    const perSecond = 20
    const seconds = 20
    const id = await hook(HOOK, { max_per_second: perSecond }, { kind: 'slow', delayMs: 10 })
    await hook(FREE, {}, { kind: 'prompt' })
    const events = perSecond * (seconds + 5)
    await publish(events)
    await arrived(FREE, events)
    const webhook = await api.get<Webhook>(workspace.webhookPath(id), { token: workspace.key })
    expect(webhook.backlog!.length).toBeGreaterThan(perSecond)
    const left = Date.parse(webhook.backlog!.empty_at!) - Date.now()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan((seconds + 6) * 1_000)

    const [first] = await arrived(HOOK, 1)
    await setTimeout(first!.seenAt + seconds * 1_000 - Date.now())
    const seen = (await at(HOOK)).filter(({ seenAt }) => seenAt < first!.seenAt + seconds * 1_000)
    expect(seen.length).toBeLessThanOrEqual(perSecond * seconds * 1.1)
    expect(seen.length).toBeGreaterThanOrEqual(perSecond * seconds * 0.9)
    expect(new Set(seen.map(({ eventId }) => eventId)).size).toBe(seen.length)
    const all = await arrived(HOOK, events)
    expect(all).toHaveLength(events)
  })

  test('a concurrency limit applies across all nodes', async () => {
    await hook(HOOK, { max_in_flight: 3 }, { kind: 'slow', delayMs: 100 })
    await publish(200)
    const seen = await arrived(HOOK, 200)
    expect(mostAtOnce(seen)).toBe(3)
    expect(seen).toHaveLength(200)
  })

  test('a receiver that answers 429 with Retry-After is slowed down, and is back at full speed after its first 2xx', async () => {
    const limited = { kind: 'status', status: 429, headers: { 'retry-after': '60' } } as const
    await hook(HOOK, {}, limited)
    await publish(10)
    await arrived(HOOK, 1)
    await setTimeout(1_000)
    const before = (await at(HOOK)).length
    await publish(60)
    await setTimeout(5_000)
    // One a second for each node.
    expect((await at(HOOK)).length - before).toBeLessThanOrEqual(6 * count)
    const from = (await at(HOOK)).length
    await receiver.behave(HOOK, { kind: 'prompt' })
    const seen = await arrived(HOOK, from + 30)
    expect(seen.slice(from).filter(({ status }) => status === 429).length).toBeLessThanOrEqual(count)
  })

  if (count > 1) {
    test('the limit is kept while the sending node is killed, restarted and joined by others', async () => {
      const perSecond = 20
      await hook(HOOK, { max_per_second: perSecond, max_in_flight: 4 }, { kind: 'slow', delayMs: 20 })
      await publish(600)
      await arrived(HOOK, 40)
      for (let node = 0; node < count; node++) {
        await nodes[node]!.kill()
        nodes[node] = await start(node)
      }
      const seen = await eventually(
        async () => {
          const requests = await at(HOOK)
          return new Set(requests.map(({ eventId }) => eventId)).size === 600 ? requests : null
        },
        { ...PATIENCE, what: 'all events' },
      )
      // Requests in flight at a kill are repeated, and a killed node's last requests may still be open.
      expect(mostWithin(seen, 5_000)).toBeLessThanOrEqual(5 * perSecond * 1.1)
      expect(mostAtOnce(seen)).toBeLessThanOrEqual(2 * 4)
    })
  }
})
