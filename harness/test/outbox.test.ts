import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changeOf, type Entity, PRODUCER_TABLES, Producer, ROLLED_BACK } from '../src/outbox/producer.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { freePort } from '../src/support/freePort.ts'
import { Api } from '../src/support/http.ts'
import { PosthornProcess, runPosthorn, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'
import { makeTestDatabase } from './testStore.ts'

const KILLS = dose(6, 100)
const KILL_EVERY_MS = 700
const CHANGES_PER_SECOND = 200
const ENTITIES_PER_WORKSPACE = 5
const TYPE = 'campaign.status_changed.v1'
const PATIENCE = { withinMs: 120_000, everyMs: 250 }

interface FeedEvent {
  readonly id: string
  readonly entityId: string
  readonly payload: { readonly from: string; readonly to: string }
}

interface FeedPage {
  readonly data: readonly FeedEvent[]
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

describe('an outbox, while its relays, its producer and the service are killed', () => {
  let database: Awaited<ReturnType<typeof makeTestDatabase>>
  let directory: string
  let receiver: ScriptedReceiver
  let service: PosthornProcess
  let client: pg.Client
  let port: number
  let workspaces: WorkspaceClient[]
  let entities: Entity[]
  let running: { kill(): Promise<unknown> }[]

  beforeEach(async () => {
    directory = makeDirectory()
    ;[database, receiver, port] = await Promise.all([
      makeTestDatabase(),
      ScriptedReceiver.start(),
      freePort(),
    ])
    service = await startAgain()
    workspaces = await Promise.all(
      ['acme', 'beta', 'gamma'].map((slug) => createWorkspace(() => service.url, 'ads', slug)),
    )
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query((await runPosthorn(['outbox', 'sql'])).stdout)
    await client.query(PRODUCER_TABLES)
    entities = workspaces.flatMap(({ id: workspace }) =>
      Array.from({ length: ENTITIES_PER_WORKSPACE }, () => ({ id: randomUUID(), workspace })),
    )
    for (const { id } of entities) await client.query('INSERT INTO entity (id) VALUES ($1)', [id])
    running = []
  })

  afterEach(async () => {
    await Promise.all([...running, service].map((one) => one.kill()))
    await Promise.all([client.end(), receiver.stop()])
    await database.remove()
    removeDirectory(directory)
  })

  const startAgain = () =>
    startService({ dataDir: path.join(directory, 'data'), settings: { POSTHORN_PORT: String(port) } })

  function startRelay(): PosthornProcess {
    const keys = workspaces.map(({ id, key }) => `${id}=${key}`).join(',')
    const settings = { POSTHORN_OUTBOX_SOURCE: database.url, POSTHORN_OUTBOX_KEYS: keys }
    const args = ['outbox', 'relay', '--public-url', `http://127.0.0.1:${port}`, '--metrics-port', '0']
    return new PosthornProcess(args, settings)
  }

  const startProducer = () =>
    Producer.start({
      url: database.url,
      entities,
      connections: 8,
      perSecond: CHANGES_PER_SECOND,
      rollBackEvery: 7,
    })

  async function feedOf({ key }: WorkspaceClient): Promise<FeedEvent[]> {
    const api = new Api(() => service.url)
    const events: FeedEvent[] = []
    let from = ''
    for (;;) {
      const page = await api.get<FeedPage>(`/api/v1/events?limit=100${from}`, { token: key })
      events.push(...page.data)
      if (!page.hasMore) return events
      from = `&after=${encodeURIComponent(page.nextCursor!)}`
    }
  }

  test('every committed change is published and delivered, in the order of its entity, and no rolled-back one', {
    timeout: 600_000,
  }, async () => {
    for (const [number, workspace] of workspaces.entries()) {
      const hook = `/${number}`
      const { secret } = await workspace.createWebhook(receiver.urlOf(hook), [TYPE])
      await receiver.add({ path: hook, scheme: 'service', secrets: [secret], behavior: { kind: 'prompt' } })
    }
    const relays = [startRelay(), startRelay()]
    let producer = await startProducer()
    running = [producer, ...relays]
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(KILL_EVERY_MS)
      const turn = kill % 3
      if (turn === 2) {
        await producer.kill()
        producer = await startProducer()
      } else {
        await relays[turn]!.kill()
        relays[turn] = startRelay()
      }
      // Deliveries in flight are repeated after the lease of the killed node, so not after each kill.
      if (kill % 10 === 3) {
        await service.kill()
        service = await startAgain()
      }
      running = [producer, ...relays]
    }
    await producer.finish()

    const { rows } = await client.query<{ id: string; changes: number }>('SELECT id, changes FROM entity')
    const changes = new Map(rows.map((row) => [row.id, row.changes]))
    const total = rows.reduce((sum, row) => sum + row.changes, 0)
    expect(total).toBeGreaterThan(KILLS * 20)
    const feeds = await eventually(
      async () => {
        const all = await Promise.all(workspaces.map(feedOf))
        return all.flat().length >= total ? all.flat() : null
      },
      { ...PATIENCE, what: `${total} events in the feeds` },
    )
    const published = new Map<string, number[]>(rows.map(({ id }) => [id, []]))
    for (const { entityId, payload } of feeds) {
      expect(payload.to).not.toBe(ROLLED_BACK)
      published.get(entityId)!.push(changeOf(payload.from))
    }
    for (const [id, numbers] of published)
      expect(numbers).toEqual(Array.from({ length: changes.get(id)! }, (_, n) => n + 1))
    const ids = new Set(feeds.map(({ id }) => id))
    const delivered = await eventually(
      async () => {
        const requests = await receiver.requests()
        const seen = new Set(requests.map(({ eventId }) => eventId))
        return seen.size >= ids.size ? requests : null
      },
      { ...PATIENCE, what: `${total} events at the receivers` },
    )
    expect(delivered.filter(({ forgery }) => forgery !== null)).toEqual([])
    expect(new Set(delivered.map(({ body }) => (JSON.parse(body) as FeedEvent).id))).toEqual(ids)
    const failed = await runPosthorn(['outbox', 'failed', '--source', database.url])
    expect(JSON.parse(failed.stdout)).toEqual([])
  })
})
