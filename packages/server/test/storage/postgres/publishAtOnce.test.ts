import { afterEach, beforeEach, expect, test } from 'vitest'
import { SECOND_MS } from '../../../src/core/duration.ts'
import { LeaseIds } from '../../../src/storage/postgres/queries/leases.ts'
import { type Publish, publisher } from '../../../src/storage/postgres/queries/publish.ts'
import { StoreClock } from '../../../src/storage/postgres/storeClock.ts'
import type { Tx } from '../../../src/storage/postgres/transaction.ts'
import { WebhookMatcher } from '../../../src/storage/postgres/webhookMatcher.ts'
import type { EventToStore } from '../../../src/storage/storage.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { type Database, openDatabase } from './database.ts'

let database: Database
let clock: ManualClock
let publish: Publish
/** Of the last call: requested and answered statements, and the commit that was sent along. */
let log: string[]
let made: number

beforeEach(async () => {
  database = await openDatabase()
  await database.client.query(`
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'ws', 'toy', 'ws', '', 0);
    INSERT INTO nodes (id, lease_until) VALUES (1, now_ms() + 60000)`)
  clock = new ManualClock()
  await database.partitions.ensure([clock.now()])
  const { connections, locks, partitions } = database
  const parts = { leaseIds: new LeaseIds(clock), matching: new WebhookMatcher(), machineClock: clock }
  publish = publisher({
    connections,
    locks,
    partitions,
    ...parts,
    clock: new StoreClock(clock),
    migrations: [],
  })
  made = 0
})
afterEach(() => database.close())

function eventOf(type: string): EventToStore {
  const own = { broughtId: null, broughtRowId: null, fingerprint: null, traceparent: null }
  return { id: ++made, workspaceId: 1, type, body: '{}', createdAt: clock.now(), ...own }
}

function watched(tx: Tx): Tx {
  log = []
  const noted = async <Result>(answer: Promise<Result>) => {
    log.push('asked')
    const result = await answer
    log.push('answered')
    return result
  }
  return {
    rows: (...statement) => noted(tx.rows(...statement)) as never,
    row: (...statement) => noted(tx.row(...statement)) as never,
    run: (...statement) => noted(tx.run(...statement)),
    command: (sql) => noted(tx.command(sql)),
    endHere() {
      log.push('commit')
      tx.endHere()
    },
    onCommit: (done) => tx.onCommit(done),
    onDoubt: (undo) => tx.onDoubt(undo),
  }
}

function store(way: keyof Publish, ...events: EventToStore[]) {
  const call = { nodeId: 1, batches: [events], room: 10, keepInStore: [], maxFanout: 1_000_000 }
  return database.write((tx) => publish[way](watched(tx), [call]))
}

async function listed(type: string): Promise<number[]> {
  const { rows } = await database.client.query<{ id: number }>({
    text: 'SELECT event_id::int AS id FROM recent_events WHERE type = $1 ORDER BY event_id',
    values: [type],
  })
  return rows.map(({ id }) => id)
}

test('a batch is one round trip, also with types that were not published for long', async () => {
  await store('alone', eventOf('first'))
  expect(await store('alone', eventOf('quiet'))).toEqual([[expect.objectContaining({ outcome: 'accepted' })]])
  expect(log).toEqual(['asked', 'asked', 'asked', 'commit', 'answered', 'answered', 'answered'])
  expect(await listed('quiet')).toEqual([2])
})

test('a type is listed about once a second, and its list holds the newest', async () => {
  for (let i = 0; i < 6; i++) {
    await store('alone', eventOf('a'))
    clock.advance(SECOND_MS / 2)
  }
  expect(await listed('a')).toEqual([1, 3, 5])
  await store('alone', eventOf('a'), eventOf('a'))
  expect(await listed('a')).toEqual([5, 7, 8])
})

test('a type that is not stored, since webhooks changed, is not listed, and is once it is stored', async () => {
  await store('alone', eventOf('a'))
  await database.client.query('UPDATE workspaces SET webhooks_version = webhooks_version + 1')
  const event = eventOf('b')
  expect(await store('alone', event)).toBeNull()
  expect(await listed('b')).toEqual([])
  await store('within', event)
  expect(await listed('b')).toEqual([2])
})
