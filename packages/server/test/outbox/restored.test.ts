import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { ArchivingServer, copyByDump } from '../../../../harness/src/postgres/pointInTime.ts'
import { replicasPossible, startReplica } from '../../../../harness/src/postgres/replica.ts'
import { type PostgresServer, startPostgres } from '../../../../harness/src/postgres/server.ts'
import { TcpProxy } from '../../../../harness/src/support/tcpProxy.ts'
import { eventForms } from '../../src/cli/outbox/eventForms.ts'
import { systemClock } from '../../src/core/clock.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { PostgresOutbox } from '../../src/outbox/postgres/outbox.ts'
import { outboxSql } from '../../src/outbox/postgres/schema.ts'
import type { EventPublisher, PublishOutcome } from '../../src/outbox/publisher.ts'
import { Relay } from '../../src/outbox/relay.ts'

const NO_REPLICAS = 'PostgreSQL here has no pg_basebackup'
const TIMEOUT_MS = 60_000
const SCHEMA = 'posthorn'
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

interface Made {
  readonly id: string
  readonly entity: number
  readonly n: number
}

/** Accepts every event, and records in which order it first saw them. */
class Recorder implements EventPublisher {
  readonly first: Made[] = []
  readonly ids = new Set<string>()

  async publish(_workspace: string, events: readonly string[]): Promise<PublishOutcome> {
    for (const event of events) {
      const { id, data } = JSON.parse(event) as { readonly id: string; readonly data: Omit<Made, 'id'> }
      if (!this.ids.has(id)) this.first.push({ id, ...data })
      this.ids.add(id)
    }
    return { outcome: 'published', repeated: 0 }
  }

  get numbers(): number[] {
    return this.first.map(({ n }) => n)
  }
}

function startRelay(url: string, publisher: EventPublisher): Relay {
  const log = { info() {}, warn() {}, error() {} }
  const relay = new Relay({
    outbox: new PostgresOutbox({ url, schema: SCHEMA, clock: systemClock }),
    publisher,
    clock: systemClock,
    log,
    failureLog: new FailureLog(systemClock, log),
    observer: {
      published() {},
      held() {},
      blockedWorkspaces() {},
      backlog() {},
      stored() {},
      reachable() {},
    },
  })
  relay.start()
  cleanUps.push(() => relay.stop())
  return relay
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  cleanUps.push(() => client.end().catch(() => {}))
  return client
}

async function setUp(server: PostgresServer): Promise<pg.Client> {
  cleanUps.push(() => server.remove())
  const client = await connect(server.url())
  await client.query(outboxSql({ schema: SCHEMA, forms: eventForms(['ads', 'content']) }))
  await client.query('CREATE TABLE made (id text PRIMARY KEY, entity int NOT NULL, n int NOT NULL)')
  return client
}

/** A change of an entity with its event, in one transaction with the given begin and end. */
async function change(
  client: pg.Client,
  made: Omit<Made, 'id'>,
  [begin, end]: readonly [string, string] = ['BEGIN', 'COMMIT'],
): Promise<void> {
  await client.query(begin)
  const event = JSON.stringify({ type: 'order.changed', data: made })
  const { rows } = await client.query(`SELECT posthorn.emit($1, $2) AS id`, [`w${made.entity % 3}`, event])
  await client.query('INSERT INTO made VALUES ($1, $2, $3)', [rows[0].id, made.entity, made.n])
  await client.query(end)
}

const changes = async (client: pg.Client, from: number, to: number): Promise<void> => {
  for (let n = from; n <= to; n++) await change(client, { entity: 0, n })
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await sleep(20)
  }
}

const madeIn = async (client: pg.Client) =>
  (await client.query<Made>('SELECT id, entity, n FROM made ORDER BY entity, n')).rows

const inOrder = (made: readonly Made[]) =>
  [...new Set(made.map(({ entity }) => entity))]
    .sort((a, b) => a - b)
    .flatMap((entity) => made.filter((one) => one.entity === entity))

/** Changes its own entities until it is stopped, through failures. */
async function produce(url: string, entities: readonly number[], isOver: () => boolean): Promise<void> {
  let client: pg.Client | null = null
  for (let n = 1; !isOver(); n++) {
    try {
      client ??= await connect(url)
      for (const entity of entities) await change(client, { entity, n })
    } catch {
      await client?.end().catch(() => {})
      client = null
      await sleep(20)
    }
  }
}

describe('an outbox whose database', () => {
  it('fails over to a replica: its events are published, in the order of each entity', async ({ skip }) => {
    skip(!replicasPossible(), NO_REPLICAS)
    const primary = await startPostgres()
    await setUp(primary)
    const replica = await startReplica(primary)
    cleanUps.push(() => replica.remove())
    const proxy = await TcpProxy.start({ host: '127.0.0.1', port: primary.port })
    cleanUps.push(() => proxy.stop())
    const url = primary.url().replace(`:${primary.port}`, `:${proxy.port}`)
    const recorder = new Recorder()
    for (let i = 0; i < 2; i++) startRelay(url, recorder)
    let isOver = false
    const producers = [0, 1, 2, 3].map((p) => produce(url, [p * 2, p * 2 + 1], () => isOver))
    await until('events before', () => recorder.ids.size > 500)
    await primary.stop('immediate')
    await replica.promote()
    proxy.retarget({ host: '127.0.0.1', port: replica.port })
    proxy.reset()
    const before = recorder.ids.size
    await until('events after', () => recorder.ids.size > before + 500)
    isOver = true
    await Promise.all(producers)
    const survivor = await connect(replica.url())
    const made = await madeIn(survivor)
    await until('all of them', () => made.every(({ id }) => recorder.ids.has(id)))
    const kept = new Set(made.map(({ id }) => id))
    expect(inOrder(recorder.first.filter(({ id }) => kept.has(id)))).toEqual(made)
    // It is the same cluster: nothing looks new.
    const { rows } = await survivor.query('SELECT count(DISTINCT xid)::int AS count FROM posthorn.outbox')
    expect(rows[0].count).toBeGreaterThan(500)
  })

  it('is restored to a point in time, or from a dump: new events are published', async ({ skip }) => {
    skip(!replicasPossible(), NO_REPLICAS)
    const archiving = await ArchivingServer.start()
    const { server } = archiving
    const client = await setUp(server)
    const recorder = new Recorder()
    const relay = startRelay(server.url(), recorder)
    await changes(client, 1, 20)
    await until('events before the backup', () => recorder.ids.size === 20)
    const backup = await archiving.backUp()
    cleanUps.push(() => backup.remove())
    await changes(client, 21, 40)
    await until('events before the point', () => recorder.ids.size === 40)
    await archiving.markPoint('here')
    await changes(client, 41, 60)
    await until('events after the point', () => recorder.ids.size === 60)
    // Its ids are far ahead of those at the point.
    for (let i = 0; i < 2_000; i++) await client.query('SELECT pg_current_xact_id()')
    await changes(client, 61, 61)
    await until('the last event', () => recorder.ids.size === 61)
    await relay.stop()

    const restored = await archiving.restore(backup, 'here')
    cleanUps.push(() => restored.stop('immediate'))
    const there = await connect(restored.url())
    expect((await madeIn(there)).map(({ n }) => n)).toEqual(range(1, 40))
    const system = 'SELECT system_identifier FROM pg_control_system()'
    expect((await there.query(system)).rows).toEqual((await client.query(system)).rows)
    const inTime = new Recorder()
    const second = startRelay(restored.url(), inTime)
    // Transaction and row ids that the first server also used.
    await changes(there, 101, 120)
    await until('events emitted there', () => inTime.numbers.includes(120))
    expect(inTime.numbers.filter((n) => n > 40)).toEqual(range(101, 120))
    await second.stop()

    const another = await startPostgres()
    cleanUps.push(() => another.remove())
    const copies = { 'the restored cluster': restored, 'another cluster': another }
    for (const [where, cluster] of Object.entries(copies)) {
      const url = await cluster.createDatabase('copy')
      await copyByDump(server.url(), url)
      const copy = await connect(url)
      await changes(copy, 201, 220)
      const fromDump = new Recorder()
      const third = startRelay(url, fromDump)
      await until(`events emitted before the relay in ${where}`, () => fromDump.numbers.includes(220))
      await changes(copy, 221, 240)
      await until(`events emitted in ${where}`, () => fromDump.numbers.includes(240))
      expect(fromDump.numbers).toEqual([...range(1, 61), ...range(201, 240)])
      await third.stop()
      await copy.end()
    }
  })

  it('prepares transactions for two-phase commit: their events are published once they are committed', async () => {
    const server = await startPostgres({ settings: { max_prepared_transactions: '5' } })
    let client = await setUp(server)
    const recorder = new Recorder()
    startRelay(server.url(), recorder)
    await changes(client, 1, 1)
    await until('the first event', () => recorder.ids.size === 1)
    // The relay is idle by now, and requests notifications.
    await until('a relay that waits for notifications', async () => {
      const { rows } = await client.query('SELECT last_value FROM posthorn.outbox_wake_until')
      return Number(rows[0].last_value) > Date.now()
    })
    await change(client, { entity: 0, n: 2 }, ['BEGIN', `PREPARE TRANSACTION 'kept'`])
    await change(client, { entity: 0, n: 3 }, ['BEGIN', `PREPARE TRANSACTION 'gone'`])
    await changes(client, 4, 4)
    await until('an event emitted later', () => recorder.ids.size === 2)
    await server.restart()
    client = await connect(server.url())
    await changes(client, 5, 5)
    await until('an event after the restart', () => recorder.ids.size === 3)
    expect(recorder.numbers).toEqual([1, 4, 5])
    await client.query(`COMMIT PREPARED 'kept'`)
    await client.query(`ROLLBACK PREPARED 'gone'`)
    await until('the event that was prepared', () => recorder.ids.size === 4)
    await changes(client, 6, 6)
    await until('the last event', () => recorder.ids.size === 5)
    expect(recorder.numbers).toEqual([1, 4, 5, 2, 6])
  })
})
