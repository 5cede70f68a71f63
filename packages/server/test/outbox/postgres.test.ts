import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventForms } from '../../src/cli/outbox/eventForms.ts'
import { outboxSql } from '../../src/outbox/postgres/schema.ts'
import { type OutboxRow, type OutboxSession, ShardsLostError } from '../../src/outbox/source.ts'
import { outboxConformance } from './conformance.ts'
import { eventOf, numberOf, type PostgresSubject, postgresSubject } from './subjects.ts'

outboxConformance('PostgreSQL', postgresSubject)

describe('outbox in PostgreSQL', () => {
  let subject: PostgresSubject
  let clients: pg.Client[]
  let sessions: OutboxSession[]

  beforeEach(async () => {
    subject = await postgresSubject()
    clients = []
    sessions = []
  })
  afterEach(async () => {
    for (const session of sessions) await session.close().catch(() => {})
    for (const client of clients) await client.end()
    await subject.close()
  })

  async function connect(): Promise<pg.Client> {
    const client = await subject.connect()
    clients.push(client)
    return client
  }
  async function open(relay: string = randomUUID()): Promise<OutboxSession> {
    const session = await subject.outbox.open(relay)
    sessions.push(session)
    await session.keep()
    return session
  }
  const emit = (client: pg.Client, workspace: string, event: unknown) =>
    client.query('SELECT emit($1, $2)', [workspace, JSON.stringify(event)])
  async function readAll(session: OutboxSession): Promise<OutboxRow[]> {
    const rows: OutboxRow[] = []
    for (;;) {
      const batch = await session.read(new Set())
      rows.push(...batch.rows)
      session.passed(batch)
      if (!batch.more) return rows
    }
  }

  it('reads events of a transaction that commits after later ones, however much was read meanwhile', async () => {
    const session = await open()
    const [slow, other] = [await connect(), await connect()]
    await slow.query('BEGIN')
    await emit(slow, 'acme', eventOf(1))
    await emit(other, 'acme', eventOf(2))
    expect((await readAll(session)).map(numberOf)).toEqual([2])
    for (let n = 3; n < 6; n++) {
      await emit(other, 'acme', eventOf(n))
      expect((await readAll(session)).map(numberOf)).toEqual([n])
      await session.keep()
    }
    await slow.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    expect(await readAll(session)).toEqual([])
  })

  it('walks past many rows of shards that are left out in steps, in one transaction or in many', async () => {
    const session = await open()
    const client = await connect()
    const slow = await connect()
    await slow.query('BEGIN')
    const many = `SELECT emit('acme', '{"type": "order.created", "data": {"n": 0}}') FROM generate_series(1, 30000)`
    await slow.query(many)
    await client.query(many)
    const first = await session.read(new Set())
    const { shard } = first.rows[0]!
    const others = 'bcdefghijk'.split('')
    for (const name of others) await emit(client, name, eventOf(1))
    await slow.query('COMMIT')
    const rows: OutboxRow[] = []
    let reads = 0
    for (let more = true; more; reads++) {
      const batch = await session.read(new Set([shard]))
      rows.push(...batch.rows)
      more = batch.more
    }
    expect(reads).toBeGreaterThan(3)
    expect(rows.map((row) => row.shard)).not.toContain(shard)
    expect(rows.map(({ workspace }) => workspace)).toEqual(rows.map(({ workspace }) => workspace).toSorted())
    const rest = await readAll(session)
    expect(rest.filter(({ workspace }) => workspace === 'acme')).toHaveLength(60_000 - first.rows.length)
    expect(rows.length + rest.filter(({ workspace }) => workspace !== 'acme').length).toBe(others.length)
  }, 60_000)

  it('reads events of the newest transaction of the database, which a snapshot does not list', async () => {
    const session = await open()
    const client = await connect()
    await client.query('BEGIN')
    await emit(client, 'acme', eventOf(1))
    // No transaction with a higher id has ended: the snapshot ends before this one.
    expect(await readAll(session)).toEqual([])
    expect(await readAll(session)).toEqual([])
    await client.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1])
  })

  it('reads events of subtransactions, and none of those that were rolled back to a savepoint', async () => {
    const session = await open()
    const client = await connect()
    await client.query('BEGIN')
    await emit(client, 'acme', eventOf(1))
    await client.query('SAVEPOINT a')
    await emit(client, 'acme', eventOf(2))
    await client.query('ROLLBACK TO a')
    await emit(client, 'acme', eventOf(3))
    expect(await readAll(session)).toEqual([])
    await client.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1, 3])
  })

  it('emits from a trigger, in any role that may use the schema', async () => {
    const session = await open()
    const client = await connect()
    await client.query(`
      CREATE TABLE campaign (id uuid, status text);
      CREATE FUNCTION campaign_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM ${subject.schema}.emit('acme', jsonb_build_object('type', 'campaign.status_changed.v1',
          'entityType', 'campaign', 'entityId', NEW.id, 'payload', jsonb_build_object('from', OLD.status, 'to', NEW.status)));
        RETURN NULL;
      END $$;
      CREATE TRIGGER campaign_changed AFTER UPDATE ON campaign FOR EACH ROW EXECUTE FUNCTION campaign_changed();
      CREATE ROLE ${subject.schema}_app;
      GRANT USAGE ON SCHEMA ${subject.schema} TO ${subject.schema}_app;
      GRANT SELECT, UPDATE ON campaign TO ${subject.schema}_app;
      INSERT INTO campaign VALUES ('01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6', 'active');`)
    try {
      await client.query(`SET ROLE ${subject.schema}_app; UPDATE campaign SET status = 'paused'`)
    } finally {
      await client.query(`RESET ROLE; DROP OWNED BY ${subject.schema}_app; DROP ROLE ${subject.schema}_app`)
    }
    const [row] = await readAll(session)
    expect(JSON.parse(row!.event!)).toMatchObject({ payload: { from: 'active', to: 'paused' } })
  })

  it('loses nothing and keeps the order of each workspace while transactions overlap and relays come and go', async () => {
    const world = new Overlapping()
    const relay = async (lives: number) => {
      for (let life = 0; life < lives || world.isProducing; life++) {
        try {
          const session = await open()
          await world.readFor(session, 15)
          // Every second one stops without a word.
          if (life % 2 === 0) await session.close()
          else await subject.expireLeases()
        } catch (error) {
          // The other one expired its lease.
          if (!(error instanceof ShardsLostError)) throw error
        }
      }
    }
    const producers = await Promise.all(Array.from({ length: 5 }, connect))
    const relays = Promise.all([relay(3), relay(4)])
    await Promise.all(producers.map((client, seed) => world.produce(client, emit, seed + 1)))
    world.isProducing = false
    await relays
    await subject.expireLeases()
    world.note(await readAll(await open()))
    expect(Object.fromEntries(world.read)).toEqual(Object.fromEntries(world.committed))
  })

  it('shares the workspaces among relays', async () => {
    const relay = randomUUID()
    const all = [await open(relay), await open()]
    await expect(all[0]!.keep()).rejects.toThrow(ShardsLostError)
    await all[0]!.close()
    const [first, second] = [await open(relay), all[1]!]
    for (let i = 0; i < 2; i++) for (const session of [first, second]) await session.keep()
    const workspaces = Array.from({ length: 60 }, (_, n) => `w${n}`)
    for (const workspace of workspaces) await subject.emit(workspace, eventOf())
    const [one, other] = [await readAll(first), await readAll(second)]
    expect(one.length).toBeGreaterThan(0)
    expect(other.length).toBeGreaterThan(0)
    expect([...one, ...other].map(({ workspace }) => workspace).sort()).toEqual(workspaces.sort())
  })

  /** How far the outbox says that its shards were published. */
  const stored = async () =>
    (await (await connect()).query('SELECT shard, done_id, last_id FROM outbox_shard ORDER BY shard')).rows

  const [itself, another] = [randomUUID(), randomUUID()]
  it.each([
    ['another relay', another],
    ['a later session of the same relay', itself],
  ])('never stores progress over that of %s, which took over', async (_, next) => {
    const late = await open(itself)
    await subject.emit('acme', eventOf())
    await readAll(late)
    if (next !== itself) await subject.expireLeases()
    const session = await open(next)
    await subject.emit('acme', eventOf())
    await readAll(session)
    await session.close()
    const before = await stored()
    await expect(late.keep()).rejects.toThrow(ShardsLostError)
    await expect(late.close()).rejects.toThrow(ShardsLostError)
    expect(await stored()).toEqual(before)
  })

  it('holds nothing for a session that lost its shards', async () => {
    const late = await open()
    await subject.emit('acme', eventOf(1))
    const [row] = await readAll(late)
    await subject.expireLeases()
    const session = await open()
    await late.hold([{ row: row!, state: 'waiting', reason: 'no key' }])
    expect(await session.waiting('acme')).toEqual([])
  })

  it.each([
    ['ahead, as it was before the clock was set back', '1 hour'],
    ['behind, as it is after the clock was set forward', '-1 hour'],
  ])('takes a relay for dead whose time is far %s, and keeps its own leases', async (_, offset) => {
    const [session, client] = [await open(), await connect()]
    await client.query(`UPDATE outbox_relay SET seen_at = seen_at + $1::interval`, [offset])
    // Its own time is set right before any lease is ended.
    expect(await session.keep()).toBe(false)
    await client.query(`UPDATE outbox_relay SET seen_at = seen_at + $1::interval`, [offset])
    await subject.emit('acme', eventOf(1))
    const next = await open()
    expect((await readAll(next)).map(numberOf)).toEqual([1])
    await expect(session.keep()).rejects.toThrow(ShardsLostError)
  })

  it('keeps its leases in few pages while a transaction of the producer stays open', async () => {
    const [client, old] = [await connect(), await connect()]
    const { rewriteLeases } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()')
    const session = await open()
    const pages = async () => {
      const { rows } = await client.query<{ pages: number }>(
        `SELECT ((pg_relation_size('outbox_shard') + pg_relation_size('outbox_relay')) / 8192)::int AS pages`,
      )
      return rows[0]!.pages
    }
    let most = 0
    for (let second = 0; second < 240; second++) {
      await subject.emit('acme', eventOf(second))
      expect((await readAll(session)).map(numberOf)).toEqual([second])
      await session.keep()
      if (second % 30 === 29) {
        await rewriteLeases(client, statementsFor(subject.schema))
        most = Math.max(most, await pages())
      }
    }
    expect(most).toBeLessThan(80)
    await session.close()
    expect((await stored()).map(({ shard }) => shard)).toEqual(
      Array.from({ length: 16 }, (_, shard) => shard),
    )
    expect(await readAll(await open())).toEqual([])
  })

  it('empties partitions in which everything was published, and no others', async () => {
    const session = await open()
    const client = await connect()
    await subject.emit('acme', eventOf(1))
    // As if it had been emitted two partitions ago.
    await client.query('UPDATE outbox SET slot = (slot + 2) % 4, xid = pg_current_xact_id()')
    const count = async () => Number((await client.query('SELECT count(*) FROM outbox')).rows[0].count)
    const { emptyPartitions } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    const cleanUp = () => emptyPartitions(client, statementsFor(subject.schema))
    await cleanUp()
    expect(await count()).toBe(1)
    await readAll(session)
    await session.keep()
    // One that is used by a transaction is emptied another time.
    const reader = await connect()
    await reader.query('BEGIN; SELECT FROM outbox')
    await cleanUp()
    expect(await count()).toBe(1)
    await reader.query('COMMIT')
    await cleanUp()
    expect(await count()).toBe(0)
  })

  it('undoes nothing that goes over the same connection while a partition in use is to be emptied', async () => {
    const session = await open()
    await subject.emit('acme', eventOf(1))
    const [client, reader] = [await connect(), await connect()]
    await client.query(
      'UPDATE outbox SET slot = (slot + 2) % 4, xid = pg_current_xact_id(); CREATE TABLE probe (n int)',
    )
    await readAll(session)
    await session.keep()
    await reader.query('BEGIN; SELECT FROM outbox')
    const { emptyPartitions } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    let isEmptying = true
    const emptying = emptyPartitions(client, statementsFor(subject.schema)).finally(() => {
      isEmptying = false
    })
    let inserted = 0
    while (isEmptying) {
      await client.query('INSERT INTO probe VALUES (1)')
      inserted += 1
    }
    await emptying
    await reader.query('COMMIT')
    expect((await client.query('SELECT FROM probe')).rowCount).toBe(inserted)
    expect((await client.query('SELECT FROM outbox')).rowCount).toBe(1)
  })

  it('publishes what is left once more in a database that was restored into another cluster', async () => {
    const session = await open()
    await subject.emit('acme', eventOf(1), eventOf(2))
    await readAll(session)
    await session.close()
    const client = await connect()
    // Transaction ids of the old cluster were far ahead, and so is how far it had come.
    await client.query(`UPDATE outbox SET xid = '99999999'; UPDATE outbox_shard SET done = '100000000:100000000:';
      UPDATE outbox_cluster SET system_identifier = 1`)
    await emit(client, 'acme', eventOf(3))
    const restored = await open()
    expect((await readAll(restored)).map(numberOf)).toEqual([1, 2, 3])
    await emit(client, 'acme', eventOf(4))
    expect((await readAll(restored)).map(numberOf)).toEqual([4])
  })

  it.each([
    ['a dump into the same cluster, which makes another table', 'UPDATE outbox_cluster SET outbox_oid = 1'],
    [
      'a dump of a later time into an earlier state of the cluster',
      `UPDATE outbox SET xid = '99999999';
       UPDATE outbox_shard SET done = '100000000:100000000:', done_xid = '100000000'`,
    ],
    ['a dump that was taken while the shards were rewritten', 'DELETE FROM outbox_shard'],
  ])('publishes what is left once more after a restore of %s', async (_, restore) => {
    const session = await open()
    await subject.emit('acme', eventOf(1), eventOf(2))
    await readAll(session)
    await session.close()
    const client = await connect()
    await client.query(restore)
    await emit(client, 'acme', eventOf(3))
    // Both find it, and one of them does it.
    const [one, other] = await Promise.all([open(), open()])
    await one.close()
    await other.keep()
    expect((await readAll(other)).map(numberOf)).toEqual([1, 2, 3])
    await emit(client, 'acme', eventOf(4))
    expect((await readAll(other)).map(numberOf)).toEqual([4])
  })

  it('says what to do where the outbox is of an earlier version, and works once that was done', async () => {
    const client = await connect()
    await client.query(`ALTER TABLE outbox_shard DROP COLUMN session; ALTER TABLE outbox_shard ADD relay uuid, ADD leased_until timestamptz;
      ALTER TABLE outbox_relay DROP COLUMN session; ALTER TABLE outbox_cluster DROP COLUMN outbox_oid`)
    await subject.emit('acme', eventOf(1))
    await expect(subject.outbox.open(randomUUID())).rejects.toThrow(
      'run what `posthorn outbox sql` prints there once more',
    )
    await client.query(outboxSql({ schema: subject.schema, forms: eventForms(['ads', 'content']) }))
    const session = await open()
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    const { rewriteLeases } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    for (let n = 0; n < 600; n++) await client.query('UPDATE outbox_shard SET last_id = last_id')
    await rewriteLeases(client, statementsFor(subject.schema))
    await session.keep()
    await subject.emit('acme', eventOf(2))
    expect((await readAll(session)).map(numberOf)).toEqual([2])
  })

  it('wakes up when something is emitted while it is idle', async () => {
    const session = await open()
    // It asks for notifications, and looks once more.
    await session.wait()
    const { rows } = await (await connect()).query('SELECT last_value FROM outbox_wake_until')
    expect(Number(rows[0].last_value)).toBeGreaterThan(Date.now())
    await subject.emit('acme', eventOf(1))
    await session.wait()
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    // Now it looks often, and asks producers for silence.
    await session.wait()
    const after = await (await connect()).query('SELECT last_value FROM outbox_wake_until')
    expect(Number(after.rows[0].last_value)).toBe(0)
  })

  it('says what to do where there is no outbox', async () => {
    const client = await connect()
    await client.query(`DROP SCHEMA ${subject.schema} CASCADE; CREATE SCHEMA ${subject.schema}`)
    await expect(subject.outbox.open(randomUUID())).rejects.toThrow(
      'run what `posthorn outbox sql` prints there',
    )
  })
})

const WORKSPACES = 6
const TRANSACTIONS = 40

/** Producers whose transactions overlap, and what was committed and read of each workspace. */
class Overlapping {
  isProducing = true
  readonly committed = new Map<string, number[]>()
  readonly read = new Map<string, number[]>()
  /** Of each workspace one thing is changed at a time, as a row lock would have it. */
  readonly #locks: Promise<void>[] = Array.from({ length: WORKSPACES }, () => Promise.resolve())

  async produce(
    client: pg.Client,
    emit: (client: pg.Client, workspace: string, event: unknown) => Promise<unknown>,
    seed: number,
  ): Promise<void> {
    for (let i = 0; i < TRANSACTIONS; i++) {
      const at = (seed * 7 + i * 5) % WORKSPACES
      const numbers = Array.from({ length: 1 + (i % 4) }, (_, n) => seed * 10_000 + i * 10 + n)
      await client.query(i % 3 === 0 ? 'BEGIN; SELECT pg_current_xact_id()' : 'BEGIN')
      await this.#locked(at, async () => {
        for (const n of numbers) await emit(client, `w${at}`, eventOf(n))
        if (i % 5 === 0) await client.query('SELECT pg_sleep(0.005)')
        const isKept = i % 6 !== 0
        await client.query(isKept ? 'COMMIT' : 'ROLLBACK')
        if (isKept) this.committed.set(`w${at}`, [...(this.committed.get(`w${at}`) ?? []), ...numbers])
      })
    }
  }

  async #locked(at: number, work: () => Promise<void>): Promise<void> {
    const before = this.#locks[at]!
    const mine = before.then(work)
    this.#locks[at] = mine
    await mine
  }

  async readFor(session: OutboxSession, rounds: number): Promise<void> {
    for (let i = 0; i < rounds; i++) {
      if (i % 4 === 0) await session.keep()
      // Now and then some shards are full.
      const full = [...Array(16).keys()].filter((shard) => i % 3 === 0 && (shard + i) % 4 < 2)
      const batch = await session.read(new Set(full))
      this.note(batch.rows)
      session.passed(batch)
      await session.wait()
    }
  }

  /** A row that is read again was published before. */
  note(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const seen = this.read.get(row.workspace) ?? []
      if (!seen.includes(numberOf(row))) this.read.set(row.workspace, [...seen, numberOf(row)])
    }
  }
}
