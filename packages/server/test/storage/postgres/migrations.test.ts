import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { migrations } from '../../../src/storage/migrations/index.ts'
import type { Migration } from '../../../src/storage/migrations/migration.ts'
import { migrate, planMigration } from '../../../src/storage/postgres/migrate.ts'
import { StoreOpenError } from '../../../src/storage/storage.ts'
import { type Database, openDatabase } from './database.ts'
import { describeSchema } from './schema.ts'

const KNOWN = migrations.length
const next: Migration = {
  version: KNOWN + 1,
  name: 'next',
  does: 'is for a test',
  goesThrough: { sqlite: [], postgres: [] },
  worksFrom: KNOWN,
  whyBreaking: null,
  sqlite: '',
  postgres: 'CREATE TABLE next (id bigint)',
}

let db: Database

beforeEach(async () => {
  db = await openDatabase()
})

afterEach(() => db.close())

async function bring(wanted: readonly Migration[]): Promise<boolean> {
  const { connections, locks, schema } = db
  return migrate({ connections, locks, schema, now: 1000, wanted })
}

async function namesOf(query: string): Promise<readonly string[]> {
  return (await db.client.query<{ name: string }>(query)).rows.map(({ name }) => name)
}

const tables = () => namesOf('SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()')
const applied = () => namesOf('SELECT name FROM migrations ORDER BY version')

test('the migrations together create the recorded schema', async () => {
  await expect(await describeSchema(db.client)).toMatchFileSnapshot('./schema.txt')
})

test('a current store is not changed', async () => {
  const rows = async () => (await db.client.query('SELECT * FROM migrations')).rows
  const before = await rows()
  expect(await bring(migrations)).toBe(false)
  expect(await rows()).toEqual(before)
})

test.each([
  ['fails', 'CREATE TABLE half (id bigint); CREATE TABLE half (id bigint)', 'half'],
  [
    'loses its connection',
    'CREATE TABLE half (id bigint); SELECT pg_terminate_backend(pg_backend_pid())',
    '57P01',
  ],
])(
  'a migration that %s leaves the store unchanged, and the next start applies it',
  async (_, postgres, message) => {
    const interrupted: Migration = {
      ...next,
      version: KNOWN + 2,
      name: 'interrupted',
      worksFrom: KNOWN + 1,
      postgres,
    }
    await expect(bring([...migrations, next, interrupted])).rejects.toThrow(message)
    expect(await tables()).not.toContain('half')
    expect(await tables()).not.toContain('next')
    expect(await applied()).toEqual(migrations.map(({ name }) => name))
    await bring([...migrations, next])
    expect(await tables()).toContain('next')
  },
)

test('a store newer than the program is rejected, unless the program works on it', async () => {
  await bring([...migrations, next])
  await bring(migrations)
  const version = KNOWN + 2
  await bring([
    ...migrations,
    next,
    { ...next, version, worksFrom: version, whyBreaking: 'a test', postgres: '' },
  ])
  await expect(bring(migrations)).rejects.toThrow(StoreOpenError)
  await expect(bring([...migrations, next])).rejects.toThrow('last used by a newer posthorn')
})

test('a table that another transaction uses delays a migration only for seconds, and nothing is changed', async () => {
  await db.client.query('BEGIN; SELECT 1 FROM webhooks')
  const altering = {
    ...next,
    postgres: 'CREATE TABLE next (id bigint); ALTER TABLE webhooks ADD COLUMN next text',
  }
  await expect(bring([...migrations, altering])).rejects.toThrow(
    `migration ${KNOWN + 1} (next) waited 3 s for a table that another transaction uses`,
  )
  await db.client.query('COMMIT')
  expect(await tables()).not.toContain('next')
  await bring([...migrations, altering])
  expect(await tables()).toContain('next')
})

test('a plan lists the missing steps, counts rows, and changes nothing', async () => {
  await db.client.query(
    'INSERT INTO outages (began_at, ended_at, waited) SELECT 0, 1, 0 FROM generate_series(1, 7)',
  )
  const counting: Migration = {
    ...next,
    goesThrough: { sqlite: [], postgres: ['outages', 'webhooks'] },
    postgres: 'CREATE TABLE next (id bigint)',
  }
  const plan = (wanted: readonly Migration[]) =>
    db.snapshot((tx) => planMigration(tx, { schema: db.schema, clock: systemClock, wanted }))
  expect(await plan(migrations)).toEqual({ from: KNOWN, to: KNOWN, steps: [], liveNodes: 0 })
  await db.client.query('INSERT INTO nodes (lease_until) VALUES (now_ms() + 60000), (now_ms() - 1)')
  const { steps, ...facts } = await plan([...migrations, counting])
  expect(facts).toEqual({ from: KNOWN, to: KNOWN + 1, liveNodes: 1 })
  expect(steps.map(({ migration, rows }) => [migration.name, [...rows]])).toEqual([
    [
      'next',
      [
        ['outages', 7],
        ['webhooks', 0],
      ],
    ],
  ])
  expect(await tables()).not.toContain('next')
})

test('a migration edited after it was applied is detected', async () => {
  const edited = migrations.map((migration) => ({
    ...migration,
    postgres: `${migration.postgres} -- edited`,
  }))
  await expect(bring(edited)).rejects.toThrow('a different migration 1 (initial)')
})

test('nodes of earlier versions count and delete under the former names of the tables of stats', async () => {
  const { client } = db
  await client.query(
    `INSERT INTO figures_deltas (at, scope, data) VALUES (60000, 'webhook', 'a'), (60000, 'webhook', 'b')`,
  )
  expect(await namesOf('SELECT data AS name FROM pending_counts ORDER BY id')).toEqual(['a', 'b'])
  await client.query(
    'DELETE FROM figures_deltas WHERE id = ANY(SELECT id FROM figures_deltas ORDER BY id LIMIT 1)',
  )
  expect(await namesOf('SELECT data AS name FROM pending_counts')).toEqual(['b'])
  for (const data of ['first', 'second'])
    await client.query(
      `INSERT INTO figures (unit, scope, at, sheet, data) VALUES ('minute', 'webhook', 60000, 7, $1)
      ON CONFLICT (unit, scope, at, sheet) DO UPDATE SET data = excluded.data`,
      [data],
    )
  expect(await namesOf('SELECT bucket || data AS name FROM stats')).toEqual(['7second'])
  expect(await namesOf('SELECT sheet || data AS name FROM figures')).toEqual(['7second'])
  await client.query(
    `DELETE FROM figures WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM figures WHERE unit = 'minute' AND at < 60001 LIMIT 5 FOR UPDATE SKIP LOCKED))`,
  )
  expect(await namesOf('SELECT data AS name FROM stats')).toEqual([])
})
