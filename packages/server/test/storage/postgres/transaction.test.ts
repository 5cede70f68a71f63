import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endAtOnce } from '../../../src/storage/postgres/connections.ts'
import { inTransaction, type Tx } from '../../../src/storage/postgres/transaction.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'

const LOCK = 4712

let schema: TestSchema
let client: pg.Client
let watcher: pg.Client
let events: string[]

beforeEach(async () => {
  schema = await newTestSchema()
  watcher = await schema.connect()
  await watcher.query(`CREATE SCHEMA ${schema.name}; CREATE TABLE kept (value int PRIMARY KEY)`)
  // As the store's own: requests are sent without waiting for earlier answers.
  client = new pg.Client({ connectionString: schema.url, pipeline: true })
  client.on('error', () => {})
  await client.connect()
  await client.query(`SET search_path = ${schema.name}`)
  events = []
})

afterEach(async () => {
  await Promise.all([client.end(), watcher.end()])
  await schema.drop()
})

function transact<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
  const on = { counter: { statements: 0, commits: 0 }, onBroken: () => events.push('broken') }
  return inTransaction(client, 'write', on, (tx) => {
    tx.onCommit(() => events.push('committed'))
    tx.onDoubt(() => events.push('in doubt'))
    return work(tx)
  })
}

async function kept(): Promise<number[]> {
  const { rows } = await watcher.query<{ value: number }>('SELECT value FROM kept ORDER BY value')
  return rows.map(({ value }) => value)
}

describe('a transaction whose commit is sent right after its statements', () => {
  test('stores their changes, and accepts no more of them', async () => {
    const result = await transact(async (tx) => {
      const first = tx.run('INSERT INTO kept VALUES (1), (2)')
      tx.endHere()
      await expect(tx.run('INSERT INTO kept VALUES (3)')).rejects.toThrow('has ended')
      return first
    })
    expect([result, await kept(), events]).toEqual([2, [1, 2], ['committed']])
  })

  test('stores nothing when one of them fails, with certainty', async () => {
    const failing = transact(async (tx) => {
      const both = [tx.run('INSERT INTO kept VALUES (1)'), tx.run('INSERT INTO kept VALUES (1)')]
      tx.endHere()
      await Promise.all(both)
    })
    await expect(failing).rejects.toThrow('duplicate key')
    expect([await kept(), events]).toEqual([[], []])
  })

  test('is uncertain when its work fails though everything was stored, and must not be repeated', async () => {
    const failing = transact(async (tx) => {
      const storing = tx.run('INSERT INTO kept VALUES (1)')
      tx.endHere()
      await storing
      throw new TypeError('what came was not understood')
    })
    const error = await failing.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(error).toMatchObject({
      message: expect.stringContaining('not understood'),
      cause: expect.any(TypeError),
    })
    expect([await kept(), events]).toEqual([[1], ['committed', 'in doubt']])
  })

  test('is uncertain when the connection breaks before the answers: the server may execute all of it', async () => {
    await watcher.query(`SELECT pg_advisory_lock(${LOCK})`)
    const breaking = transact(async (tx) => {
      const locking = tx.rows(`SELECT pg_advisory_xact_lock(${LOCK})`)
      const storing = tx.run('INSERT INTO kept VALUES (1)')
      tx.endHere()
      await Promise.all([locking, storing])
    })
    const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`
    while ((await watcher.query(waits)).rows.length === 0);
    endAtOnce(client)
    await expect(breaking).rejects.toThrow('terminated')
    expect(events).toContain('in doubt')
    expect(events).not.toContain('committed')
    await watcher.query(`SELECT pg_advisory_unlock(${LOCK})`)
  })
})
