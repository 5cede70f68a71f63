import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eventForms } from '../../src/cli/outbox/eventForms.ts'
import { outboxSql } from '../../src/outbox/postgres/schema.ts'
import { PostgresStage } from './postgresStage.ts'
import { eventOf, numberOf, readAll } from './subjects.ts'

describe('maintenance of an outbox in PostgreSQL', () => {
  const stage = new PostgresStage()

  it('empties exactly the completely published partitions', async () => {
    const session = await stage.open()
    const client = await stage.connect()
    await stage.subject.emit('acme', eventOf(1))
    // As if it had been emitted two partitions ago.
    await client.query('UPDATE outbox SET slot = (slot + 2) % 4, xid = pg_current_xact_id()')
    const count = async () => Number((await client.query('SELECT count(*) FROM outbox')).rows[0].count)
    const { emptyPartitions } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    const cleanUp = () => emptyPartitions(client, statementsFor(stage.subject.schema))
    await cleanUp()
    expect(await count()).toBe(1)
    await readAll(session)
    await session.keep()
    // One that is used by a transaction is emptied later.
    const reader = await stage.connect()
    await reader.query('BEGIN; SELECT FROM outbox')
    await cleanUp()
    expect(await count()).toBe(1)
    await reader.query('COMMIT')
    await session.close()
    // Transactions of other tests in the cluster may delay it.
    const publishedLeft = async () => {
      const next = await stage.open()
      await readAll(next)
      await next.close()
      await cleanUp()
      return count()
    }
    await expect.poll(publishedLeft, { timeout: 30_000 }).toBe(0)
  })

  it('does not undo other work on the same connection while a partition in use is to be emptied', async () => {
    const session = await stage.open()
    await stage.subject.emit('acme', eventOf(1))
    const [client, reader] = [await stage.connect(), await stage.connect()]
    await client.query(
      'UPDATE outbox SET slot = (slot + 2) % 4, xid = pg_current_xact_id(); CREATE TABLE probe (n int)',
    )
    await readAll(session)
    await session.keep()
    await reader.query('BEGIN; SELECT FROM outbox')
    const { emptyPartitions } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    let isEmptying = true
    const emptying = emptyPartitions(client, statementsFor(stage.subject.schema)).finally(() => {
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

  it('publishes the remaining events again in a database that was restored into another cluster', async () => {
    const session = await stage.open()
    await stage.subject.emit('acme', eventOf(1), eventOf(2))
    await readAll(session)
    await session.close()
    const client = await stage.connect()
    // Transaction ids of the old cluster were far ahead, and so was its position.
    await client.query(`UPDATE outbox SET xid = '99999999'; UPDATE outbox_shard SET done = '100000000:100000000:';
      UPDATE outbox_cluster SET system_identifier = 1`)
    await stage.emit(client, 'acme', eventOf(3))
    const restored = await stage.open()
    expect((await readAll(restored)).map(numberOf)).toEqual([1, 2, 3])
    await stage.emit(client, 'acme', eventOf(4))
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
  ])('publishes the remaining events again after a restore of %s', async (_, restore) => {
    const session = await stage.open()
    await stage.subject.emit('acme', eventOf(1), eventOf(2))
    await readAll(session)
    await session.close()
    const client = await stage.connect()
    await client.query(restore)
    await stage.emit(client, 'acme', eventOf(3))
    // Both detect it, and one of them does it.
    const [one, other] = await Promise.all([stage.open(), stage.open()])
    await one.close()
    await other.keep()
    expect((await readAll(other)).map(numberOf)).toEqual([1, 2, 3])
    await stage.emit(client, 'acme', eventOf(4))
    expect((await readAll(other)).map(numberOf)).toEqual([4])
  })

  it('says what to do with an outbox of an earlier version, and works after that', async () => {
    const client = await stage.connect()
    await client.query(`ALTER TABLE outbox_shard DROP COLUMN session; ALTER TABLE outbox_shard ADD relay uuid, ADD leased_until timestamptz;
      ALTER TABLE outbox_relay DROP COLUMN session; ALTER TABLE outbox_cluster DROP COLUMN outbox_oid`)
    await stage.subject.emit('acme', eventOf(1))
    await expect(stage.subject.outbox.open(randomUUID())).rejects.toThrow(
      'run the output of `posthorn outbox sql` there again',
    )
    await client.query(outboxSql({ schema: stage.subject.schema, forms: eventForms(['ads', 'content']) }))
    const session = await stage.open()
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    const { rewriteLeases } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    for (let n = 0; n < 600; n++) await client.query('UPDATE outbox_shard SET last_id = last_id')
    await rewriteLeases(client, statementsFor(stage.subject.schema))
    await session.keep()
    await stage.subject.emit('acme', eventOf(2))
    expect((await readAll(session)).map(numberOf)).toEqual([2])
  })

  it('wakes up when an event is emitted while it is idle', async () => {
    const session = await stage.open()
    // It requests notifications, and reads once more.
    await session.wait()
    const { rows } = await (await stage.connect()).query('SELECT last_value FROM outbox_wake_until')
    expect(Number(rows[0].last_value)).toBeGreaterThan(Date.now())
    await stage.subject.emit('acme', eventOf(1))
    await session.wait()
    expect((await readAll(session)).map(numberOf)).toEqual([1])
    // Now it reads often, and disables notifications.
    await session.wait()
    const after = await (await stage.connect()).query('SELECT last_value FROM outbox_wake_until')
    expect(Number(after.rows[0].last_value)).toBe(0)
  })

  it('says what to do if there is no outbox', async () => {
    const client = await stage.connect()
    await client.query(`DROP SCHEMA ${stage.subject.schema} CASCADE; CREATE SCHEMA ${stage.subject.schema}`)
    await expect(stage.subject.outbox.open(randomUUID())).rejects.toThrow(
      'run the output of `posthorn outbox sql` there',
    )
  })
})
