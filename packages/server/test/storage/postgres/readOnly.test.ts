import type pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../src/core/clock.ts'
import { Connections } from '../../../src/storage/postgres/connections.ts'
import type { Tx } from '../../../src/storage/postgres/transaction.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'

/** As many as the pool holds. */
const AT_ONCE = 4
/** After this, a server's earlier state must be checked again. */
const A_MOMENT_MS = 1_000

let schema: TestSchema
let admin: pg.Client
let connections: Connections
let ahead: number

beforeEach(async () => {
  schema = await newTestSchema()
  const { name, url } = schema
  admin = await schema.connect()
  await admin.query(`
    CREATE ROLE ${name} LOGIN PASSWORD 'secret';
    CREATE SCHEMA IF NOT EXISTS ${name};
    CREATE TABLE ${name}.notes (note text);
    GRANT USAGE ON SCHEMA ${name} TO ${name};
    GRANT ALL ON ${name}.notes TO ${name}`)
  const theirs = Object.assign(new URL(url), { username: name, password: 'secret' })
  ahead = 0
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + ahead }
  connections = new Connections({ url: theirs.href, schema: name }, clock)
})

afterEach(async () => {
  await connections.close()
  await admin.query(`DROP OWNED BY ${schema.name}; DROP ROLE ${schema.name}`)
  await admin.end()
  await schema.drop()
})

const call = <Result>(work: (tx: Tx) => Promise<Result>) =>
  connections.call({ pool: 'hot', isolation: 'write' }, work)

const write = (note: string) => call((tx) => tx.run('INSERT INTO notes VALUES ($1)', [note]))

/** Opens all connections of the pool: each call keeps its own until the last has one. */
async function fillPool(): Promise<void> {
  let left = AT_ONCE
  let letGo = () => {}
  const all = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const hold = async (tx: Tx) => {
    await tx.row('SELECT 1')
    if (--left === 0) letGo()
    await all
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => call(hold)))
}

const notes = Array.from({ length: AT_ONCE }, (_, at) => `note ${at}`)

test('sessions that are read-only because the database was are not used when it no longer is', async () => {
  await admin.query(`ALTER ROLE ${schema.name} SET default_transaction_read_only = on`)
  await expect(write('refused')).rejects.toThrow(StoreUnavailableError)
  await fillPool()
  await admin.query(`ALTER ROLE ${schema.name} RESET default_transaction_read_only`)
  ahead = A_MOMENT_MS
  expect(await Promise.all(notes.map(write))).toEqual(notes.map(() => 1))
})
