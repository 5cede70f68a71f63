import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ShardsLostError } from '../../src/outbox/source.ts'
import { PostgresStage } from './postgresStage.ts'
import { eventOf, numberOf, readAll } from './subjects.ts'

describe('relays of an outbox in PostgreSQL', () => {
  const stage = new PostgresStage()

  it('shares the workspaces among relays', async () => {
    const relay = randomUUID()
    const all = [await stage.open(relay), await stage.open()]
    await expect(all[0]!.keep()).rejects.toThrow(ShardsLostError)
    await all[0]!.close()
    const [first, second] = [await stage.open(relay), all[1]!]
    for (let i = 0; i < 2; i++) for (const session of [first, second]) await session.keep()
    const workspaces = Array.from({ length: 60 }, (_, n) => `w${n}`)
    for (const workspace of workspaces) await stage.subject.emit(workspace, eventOf())
    const [one, other] = [await readAll(first), await readAll(second)]
    expect(one.length).toBeGreaterThan(0)
    expect(other.length).toBeGreaterThan(0)
    expect([...one, ...other].map(({ workspace }) => workspace).sort()).toEqual(workspaces.sort())
  })

  /** Published positions of shards, as stored in the outbox. */
  const stored = async () =>
    (await (await stage.connect()).query('SELECT shard, done_id, last_id FROM outbox_shard ORDER BY shard'))
      .rows

  const [itself, another] = [randomUUID(), randomUUID()]
  it.each([
    ['another relay', another],
    ['a later session of the same relay', itself],
  ])('never stores progress over that of %s, which took over', async (_, next) => {
    const late = await stage.open(itself)
    await stage.subject.emit('acme', eventOf())
    await readAll(late)
    if (next !== itself) await stage.subject.expireLeases()
    const session = await stage.open(next)
    await stage.subject.emit('acme', eventOf())
    await readAll(session)
    await session.close()
    const before = await stored()
    await expect(late.keep()).rejects.toThrow(ShardsLostError)
    await expect(late.close()).rejects.toThrow(ShardsLostError)
    expect(await stored()).toEqual(before)
  })

  it('holds nothing for a session that lost its shards', async () => {
    const late = await stage.open()
    await stage.subject.emit('acme', eventOf(1))
    const [row] = await readAll(late)
    await stage.subject.expireLeases()
    const session = await stage.open()
    await late.hold([{ row: row!, state: 'waiting', reason: 'no key' }])
    expect(await session.waiting('acme')).toEqual([])
  })

  it.each([
    ['ahead, as it was before the clock was set back', '1 hour'],
    ['behind, as it is after the clock was set forward', '-1 hour'],
  ])('treats a relay as dead whose time is far %s, and keeps its own leases', async (_, offset) => {
    const [session, client] = [await stage.open(), await stage.connect()]
    await client.query(`UPDATE outbox_relay SET seen_at = seen_at + $1::interval`, [offset])
    // Its own time is corrected before any lease expires.
    expect(await session.keep()).toBe(false)
    await client.query(`UPDATE outbox_relay SET seen_at = seen_at + $1::interval`, [offset])
    await stage.subject.emit('acme', eventOf(1))
    const next = await stage.open()
    expect((await readAll(next)).map(numberOf)).toEqual([1])
    await expect(session.keep()).rejects.toThrow(ShardsLostError)
  })

  it('keeps its leases in few pages while a transaction of the producer stays open', async () => {
    const [client, old] = [await stage.connect(), await stage.connect()]
    const { rewriteLeases } = await import('../../src/outbox/postgres/cleanUp.ts')
    const { statementsFor } = await import('../../src/outbox/postgres/statements.ts')
    await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()')
    const session = await stage.open()
    const pages = async () => {
      const { rows } = await client.query<{ pages: number }>(
        `SELECT ((pg_relation_size('outbox_shard') + pg_relation_size('outbox_relay')) / 8192)::int AS pages`,
      )
      return rows[0]!.pages
    }
    let most = 0
    for (let second = 0; second < 240; second++) {
      await stage.subject.emit('acme', eventOf(second))
      expect((await readAll(session)).map(numberOf)).toEqual([second])
      await session.keep()
      if (second % 30 === 29) {
        await rewriteLeases(client, statementsFor(stage.subject.schema))
        most = Math.max(most, await pages())
      }
    }
    expect(most).toBeLessThan(80)
    await session.close()
    expect((await stored()).map(({ shard }) => shard)).toEqual(
      Array.from({ length: 16 }, (_, shard) => shard),
    )
    expect(await readAll(await stage.open())).toEqual([])
  })
})
