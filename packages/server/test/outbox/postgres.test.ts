import { describe, expect, it } from 'vitest'
import { type OutboxRow, ShardsLostError } from '../../src/outbox/source.ts'
import { outboxConformance } from './conformance.ts'
import { Overlapping } from './overlapping.ts'
import { PostgresStage } from './postgresStage.ts'
import { eventOf, numberOf, postgresSubject, readAll } from './subjects.ts'

outboxConformance('PostgreSQL', postgresSubject)

describe('outbox in PostgreSQL', () => {
  const stage = new PostgresStage()

  it('reads events of a transaction that commits after later ones, however much was read in between', async () => {
    const session = await stage.open()
    const [slow, other] = [await stage.connect(), await stage.connect()]
    await slow.query('BEGIN')
    await stage.emit(slow, 'acme', eventOf(1))
    await stage.emit(other, 'acme', eventOf(2))
    expect((await readAll(session)).map(numberOf)).toEqual([2])
    for (let n = 3; n < 6; n++) {
      await stage.emit(other, 'acme', eventOf(n))
      expect((await readAll(session)).map(numberOf)).toEqual([n])
      await session.keep()
    }
    await slow.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    expect(await readAll(session)).toEqual([])
  })

  it('skips many rows of excluded shards in steps, in one transaction or in many', async () => {
    const session = await stage.open()
    const client = await stage.connect()
    const slow = await stage.connect()
    await slow.query('BEGIN')
    const many = `SELECT emit('acme', '{"type": "order.created", "data": {"n": 0}}') FROM generate_series(1, 30000)`
    await slow.query(many)
    await client.query(many)
    const first = await session.read(new Set())
    const { shard } = first.rows[0]!
    const others = 'bcdefghijk'.split('')
    for (const name of others) await stage.emit(client, name, eventOf(1))
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
    const session = await stage.open()
    const client = await stage.connect()
    await client.query('BEGIN')
    await stage.emit(client, 'acme', eventOf(1))
    // No transaction with a higher id has ended: the snapshot ends before this one.
    expect(await readAll(session)).toEqual([])
    expect(await readAll(session)).toEqual([])
    await client.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1])
  })

  it('reads events of subtransactions, except those rolled back to a savepoint', async () => {
    const session = await stage.open()
    const client = await stage.connect()
    await client.query('BEGIN')
    await stage.emit(client, 'acme', eventOf(1))
    await client.query('SAVEPOINT a')
    await stage.emit(client, 'acme', eventOf(2))
    await client.query('ROLLBACK TO a')
    await stage.emit(client, 'acme', eventOf(3))
    expect(await readAll(session)).toEqual([])
    await client.query('COMMIT')
    expect((await readAll(session)).map(numberOf)).toEqual([1, 3])
  })

  it('emits from a trigger, in any role that may use the schema', async () => {
    const session = await stage.open()
    const client = await stage.connect()
    await client.query(`
      CREATE TABLE campaign (id uuid, status text);
      CREATE FUNCTION campaign_changed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM ${stage.subject.schema}.emit('acme', jsonb_build_object('type', 'campaign.status_changed.v1',
          'entityType', 'campaign', 'entityId', NEW.id, 'payload', jsonb_build_object('from', OLD.status, 'to', NEW.status)));
        RETURN NULL;
      END $$;
      CREATE TRIGGER campaign_changed AFTER UPDATE ON campaign FOR EACH ROW EXECUTE FUNCTION campaign_changed();
      CREATE ROLE ${stage.subject.schema}_app;
      GRANT USAGE ON SCHEMA ${stage.subject.schema} TO ${stage.subject.schema}_app;
      GRANT SELECT, UPDATE ON campaign TO ${stage.subject.schema}_app;
      INSERT INTO campaign VALUES ('01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6', 'active');`)
    try {
      await client.query(`SET ROLE ${stage.subject.schema}_app; UPDATE campaign SET status = 'paused'`)
    } finally {
      await client.query(
        `RESET ROLE; DROP OWNED BY ${stage.subject.schema}_app; DROP ROLE ${stage.subject.schema}_app`,
      )
    }
    const [row] = await readAll(session)
    expect(JSON.parse(row!.event!)).toMatchObject({ payload: { from: 'active', to: 'paused' } })
  })

  it('loses nothing and keeps the order of each workspace while transactions overlap and relays come and go', async () => {
    const world = new Overlapping()
    const relay = async (lives: number) => {
      for (let life = 0; life < lives || world.isProducing; life++) {
        try {
          const session = await stage.open()
          await world.readFor(session, 15)
          // Every second one is stopped abruptly.
          if (life % 2 === 0) await session.close()
          else await stage.subject.expireLeases()
        } catch (error) {
          // The other one expired its lease.
          if (!(error instanceof ShardsLostError)) throw error
        }
      }
    }
    const producers = await Promise.all(Array.from({ length: 5 }, () => stage.connect()))
    const relays = Promise.all([relay(3), relay(4)])
    await Promise.all(producers.map((client, seed) => world.produce(client, stage.emit, seed + 1)))
    world.isProducing = false
    await relays
    await stage.subject.expireLeases()
    world.note(await readAll(await stage.open()))
    expect(Object.fromEntries(world.read)).toEqual(Object.fromEntries(world.committed))
  })
})
