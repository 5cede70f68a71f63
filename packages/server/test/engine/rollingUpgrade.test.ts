import type { ServerResponse } from 'node:http'
import type pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { SECOND_MS } from '../../src/core/duration.ts'
import { migrations } from '../../src/storage/migrations/index.ts'
import type { Migration } from '../../src/storage/migrations/migration.ts'
import { openPostgresStorage } from '../../src/storage/postgres/open.ts'
import { StoreOpenError } from '../../src/storage/storage.ts'
import { flat } from '../support/flatStorage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { newTestSchema, type TestSchema } from '../support/testSchema.ts'
import { until } from '../support/until.ts'

const TYPE = 'version.approved'
const KNOWN = migrations.at(-1)!.version
const TABLES = [
  'workspaces',
  'keys',
  'webhooks',
  'events',
  'deliveries',
  'attempts',
  'waiting',
  'leases',
  'nodes',
]

/** A later step that this version does not use. */
const additive: Migration = {
  version: KNOWN + 1,
  name: 'additive',
  does: 'is for a test',
  goesThrough: { sqlite: [], postgres: [] },
  worksFrom: KNOWN,
  whyBreaking: null,
  sqlite: '',
  postgres: `CREATE TABLE later (id bigint); ${TABLES.map((table) => `ALTER TABLE ${table} ADD COLUMN later text`).join(';')}`,
}
/** A later step declared as incompatible with this version. */
const breaking: Migration = {
  version: KNOWN + 2,
  name: 'breaking',
  does: 'is for a test',
  goesThrough: { sqlite: [], postgres: [] },
  worksFrom: KNOWN + 2,
  whyBreaking: 'it is said to be',
  sqlite: '',
  postgres: 'ALTER TABLE later ADD PRIMARY KEY (id)',
}
const older = migrations
const newer = [...migrations, additive]
const newest = [...migrations, additive, breaking]
const REFUSAL = `the database has schema version ${KNOWN + 2}, this release supports up to ${KNOWN}: it was last used by a newer posthorn. Run that one, or restore a dump from before the upgrade`

let clock: ManualClock
let schema: TestSchema
let client: pg.Client
let receiver: TestReceiver
let running: TestEngine[]

beforeEach(async () => {
  clock = new ManualClock()
  schema = await newTestSchema()
  client = await schema.connect()
  receiver = await startReceiver(204)
  running = []
})

afterEach(async () => {
  await receiver.close()
  for (const node of running) await node.stop()
  await client.end()
  await schema.drop()
})

const open = async (known: readonly Migration[]) =>
  flat(
    await openPostgresStorage({
      url: schema.url,
      schema: schema.name,
      clock: systemClock,
      migrations: known,
    }),
  )

/** A node that knows these schema steps. */
async function start(known: readonly Migration[]): Promise<TestEngine> {
  const store = { storage: await open(known), remove: async () => {} }
  const node = await startTestEngine({ clock, limits: { maxInFlight: 8, maxInFlightPerWebhook: 4 }, store })
  running.push(node)
  return node
}

const applied = async () =>
  (await client.query<{ version: number }>('SELECT version FROM migrations ORDER BY version')).rows.map(
    ({ version }) => version,
  )

it('an older node publishes, sends and records during and after an addition to the schema by a newer one', async () => {
  const first = await start(older)
  const workspace = await first.createWorkspace('content')
  const webhook = await first.createWebhook(workspace, receiver.url, [TYPE])
  let upgraded = false
  let published = 0
  const publishing = (async () => {
    while (!upgraded) {
      await first.publish(workspace)
      published++
    }
  })()
  await until(clock, 'some events', () => first.recorded() > 5)
  const second = await start(newer)
  upgraded = true
  await publishing
  expect(await applied()).toEqual(newer.map(({ version }) => version))

  const [before, late] = [first.recorded(), await start(older)]
  for (const node of [first, second, late]) {
    for (let i = 0; i < 10; i++) await node.publish(workspace)
    published += 10
  }
  const recorded = () => running.reduce((sum, node) => sum + node.recorded(), 0)
  await until(clock, 'all records', () => recorded() === published)
  expect(first.recorded()).toBeGreaterThan(before)
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(published)
  expect(receiver.requests).toHaveLength(published)
  for (const node of [first, second, late]) {
    const deliveries = await node.deliveriesOf(webhook)
    expect(deliveries.every(({ status, attempts }) => status === 'delivered' && attempts.length === 1)).toBe(
      true,
    )
  }
  expect(running.flatMap(({ complaints }) => complaints)).toEqual([])
})

it('an older node stops working once a newer one has changed a part it needs, and the newer takes over', async () => {
  const held: ServerResponse[] = []
  receiver.answer((response) => void held.push(response))
  const first = await start(older)
  const workspace = await first.createWorkspace('content')
  const webhook = await first.createWebhook(workspace, receiver.url, [TYPE])
  for (let i = 0; i < 6; i++) await first.publish(workspace)
  await until(clock, 'the first requests', () => held.length === 4)

  // A node that registers while the schema is changed is not seen.
  await client.query(
    'CREATE TEMP TABLE kept AS SELECT id, lease_until FROM nodes; UPDATE nodes SET lease_until = 0',
  )
  await (await open(newest)).close()
  await client.query('UPDATE nodes n SET lease_until = k.lease_until FROM kept k WHERE k.id = n.id')
  const second = await start(newest)
  clock.advance(10 * SECOND_MS)
  expect(await first.engine.refused).toEqual(new StoreOpenError(REFUSAL))
  await expect(first.engine.check()).rejects.toThrow('lease')
  await expect(first.publish(workspace)).rejects.toThrow(REFUSAL)

  // Its requests in flight may end, but no longer count; it keeps the other leases until its own ends.
  receiver.answer((response) => void response.writeHead(204).end())
  for (const response of held) response.writeHead(204).end()
  await client.query('UPDATE nodes SET lease_until = 0 WHERE id = (SELECT min(id) FROM nodes)')
  await until(clock, 'the other to take over', () => {
    clock.advance(SECOND_MS)
    return second.recorded() === 6
  })
  expect(first.recorded()).toBe(0)
  expect(receiver.requests).toHaveLength(10)
  const deliveries = await second.deliveriesOf(webhook)
  expect(deliveries.map(({ status, attempts }) => [status, attempts.length])).toEqual(
    Array(6).fill(['delivered', 1]),
  )
  await second.publish(workspace)
  await until(clock, 'a record', () => second.recorded() === 7)
})

it('a newer program changes nothing while incompatible nodes run, and reports it in one line', async () => {
  const first = await start(older)
  const workspace = await first.createWorkspace('content')
  const webhook = await first.createWebhook(workspace, receiver.url, [TYPE])
  const refused = await open(newest).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(StoreOpenError)
  expect((refused as Error).message).toMatch(
    new RegExp(
      `^1 node of an earlier release is running, .* with schema version ${KNOWN + 2} \\(now ${KNOWN}\\)\\. Stop it first; .+$`,
    ),
  )
  expect(await applied()).toEqual(older.map(({ version }) => version))
  await first.publish(workspace)
  await until(clock, 'the record', () => first.recorded() === 1)
  expect(await first.deliveriesOf(webhook)).toMatchObject([{ status: 'delivered' }])
  await first.stop()
  await (await open(newest)).close()
  expect(await applied()).toEqual(newest.map(({ version }) => version))
})

it('a node that is too old does not start, and says in one line why', async () => {
  await (await open(newest)).close()
  await expect(open(older)).rejects.toThrow(new StoreOpenError(REFUSAL))
  await expect(open(newer)).rejects.toThrow(StoreOpenError)
  expect(REFUSAL).not.toContain('\n')
})

it('nodes that start together on an empty database create the schema once', async () => {
  const opened = await Promise.all([older, newer, older, newer, older, newer, older, newer].map(open))
  expect(await applied()).toEqual(newer.map(({ version }) => version))
  expect(new Set(opened.map(({ idKey }) => idKey.join())).size).toBe(1)
  const nodes = await Promise.all(opened.map((storage) => storage.registerNode({ leaseMs: 1000 })))
  expect(new Set(nodes.map(({ nodeId }) => nodeId)).size).toBe(8)
  await Promise.all(opened.map((storage) => storage.close()))
})
