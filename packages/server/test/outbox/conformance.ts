import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OutboxSession, ShardsLostError } from '../../src/outbox/source.ts'
import { eventOf, numberOf, readAll, type Subject } from './subjects.ts'

/** The contract between every outbox and the relay. */
export function outboxConformance(name: string, openSubject: () => Promise<Subject>): void {
  describe(`outbox in ${name}`, () => {
    let subject: Subject
    let sessions: OutboxSession[]

    beforeEach(async () => {
      subject = await openSubject()
      sessions = []
    })
    afterEach(async () => {
      for (const session of sessions) await session.close().catch(() => {})
      await subject.close()
    })

    const ids = new WeakMap<OutboxSession, string>()
    async function open(relay: string = randomUUID()): Promise<OutboxSession> {
      const session = await subject.outbox.open(relay)
      ids.set(session, relay)
      sessions.push(session)
      await session.keep()
      return session
    }

    /** As a relay does: opens a new session when it must share. */
    async function keep(session: OutboxSession): Promise<OutboxSession> {
      try {
        await session.keep()
        return session
      } catch (error) {
        if (!(error instanceof ShardsLostError)) throw error
        await session.close()
        return open(ids.get(session))
      }
    }

    /** The first workspace that is not in a shard. */
    async function workspaceOutside(shard: number): Promise<string> {
      const other = await openSubject()
      const workspaces = ['beta', 'gamma', 'delta', 'epsilon', 'zeta']
      for (const workspace of workspaces) await other.emit(workspace, eventOf())
      const session = await other.outbox.open(randomUUID())
      await session.keep()
      const found = (await readAll(session)).find((row) => row.shard !== shard)
      await session.close()
      await other.close()
      return found!.workspace
    }

    it('reads committed events, in order and once, and no rolled-back ones', async () => {
      const session = await open()
      await subject.emit('acme', eventOf(1), eventOf(2))
      await subject.emitAndRollBack('acme', eventOf(3))
      await subject.emit('beta', eventOf(4))
      await subject.emit('acme', eventOf(5))
      const rows = await readAll(session)
      expect(rows.map(({ workspace }) => workspace).sort()).toEqual(['acme', 'acme', 'acme', 'beta'])
      expect(rows.filter(({ workspace }) => workspace === 'acme').map(numberOf)).toEqual([1, 2, 5])
      expect(await readAll(session)).toEqual([])
    })

    it('adds an id of their service and a time to events that have none', async () => {
      const session = await open()
      const given = { id: 'evt_mine', type: 'a', data: {}, timestamp: '2026-01-01T00:00:00Z' }
      await subject.emit('acme', { type: 'a', data: {} }, { type: 'a', payload: {} }, given)
      const [content, ads, own] = (await readAll(session)).map(({ event }) => JSON.parse(event!))
      expect(content).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$|^evt_[0-9a-f]{32}$/),
        type: 'a',
        data: {},
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(ads).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        type: 'a',
        payload: {},
        occurredAt: expect.any(String),
      })
      expect(own).toEqual(given)
    })

    it.each([
      ['no workspace', null, eventOf()],
      ['an empty workspace', '', eventOf()],
      ['an event that is no object', 'acme', []],
      ['an event without a type', 'acme', { data: {} }],
      ['a type that is no text', 'acme', { type: 5, data: {} }],
    ])('rejects %s in the transaction of the producer', async (_, workspace, event) => {
      await expect(subject.emit(workspace, event)).rejects.toThrow(/give the (workspace|event)/)
      expect(await readAll(await open())).toEqual([])
    })

    it('reads events again that a dead relay had not marked as published', async () => {
      const dead = await open()
      await subject.emit('acme', eventOf(1))
      await readAll(dead)
      await dead.keep()
      await subject.emit('acme', eventOf(2))
      await dead.read(new Set())
      await subject.expireLeases()
      expect((await readAll(await open())).map(numberOf)).toEqual([2])
    })

    it('gives a second relay nothing that the first one has, until that closes', async () => {
      let first = await open()
      let second = await open()
      first = await keep(first)
      second = await keep(second)
      await subject.emit('acme', eventOf(1))
      const [one, other] = [await readAll(first), await readAll(second)]
      expect([...one, ...other].map(numberOf)).toEqual([1])
      await subject.emit('acme', eventOf(2))
      await first.close()
      second = await keep(second)
      expect((await readAll(second)).map(numberOf).at(-1)).toBe(2)
    })

    it('reads a large backlog in parts, in order', async () => {
      const session = await open()
      const numbers = Array.from({ length: 4_500 }, (_, n) => n)
      await subject.emit('acme', ...numbers.map(eventOf))
      expect((await readAll(session)).map(numberOf)).toEqual(numbers)
    })

    it('reads other shards past a skipped one, and then that one from its last position', async () => {
      const session = await open()
      const numbers = Array.from({ length: 2_500 }, (_, n) => n)
      await subject.emit('acme', ...numbers.map(eventOf))
      const first = await session.read(new Set())
      const acmeShard = first.rows[0]!.shard
      const other = await workspaceOutside(acmeShard)
      await subject.emit(other, eventOf(1))
      const rows = await readAll(session, new Set([acmeShard]))
      expect(rows.map(({ workspace }) => workspace)).toEqual([other])
      await session.keep()
      session.passed(first)
      await subject.emit(other, eventOf(2))
      await subject.emit('acme', eventOf(2_500))
      const rest = await readAll(session)
      expect(rest.filter(({ workspace }) => workspace === other).map(numberOf)).toEqual([2])
      const ofAcme = [...first.rows, ...rest.filter(({ workspace }) => workspace === 'acme')].map(numberOf)
      expect(ofAcme).toEqual([...numbers, 2_500])
      await subject.emit(other, eventOf(3))
      expect((await readAll(session)).map(numberOf)).toEqual([3])
      await session.close()
      expect(await readAll(await open())).toEqual([])
    })

    it('reads skipped events again when the relay died', async () => {
      const dead = await open()
      await subject.emit('acme', eventOf(1), eventOf(2))
      const acmeShard = (await dead.read(new Set())).rows[0]!.shard
      const other = await workspaceOutside(acmeShard)
      await subject.emit(other, eventOf(3))
      await readAll(dead, new Set([acmeShard]))
      await dead.keep()
      await subject.expireLeases()
      const rows = await readAll(await open())
      expect(rows.filter(({ workspace }) => workspace === 'acme').map(numberOf)).toEqual([1, 2])
    })

    it('limits a batch in bytes, and skips an event that is too large for any service', async () => {
      const session = await open()
      const large = { type: 'a', data: { n: 0, text: 'x'.repeat(200_000) } }
      await subject.emit('acme', ...Array.from({ length: 30 }, () => large))
      await subject.emit('acme', { type: 'a', data: { text: 'x'.repeat(600_000) } }, eventOf(1))
      const first = await session.read(new Set())
      expect(first.rows.length).toBeLessThan(25)
      expect(first.more).toBe(true)
      session.passed(first)
      const rest = await readAll(session)
      expect(rest.at(-2)!.event).toBeNull()
      expect(numberOf(rest.at(-1)!)).toBe(1)
      await session.hold([{ row: rest.at(-2)!, state: 'failed', reason: 'too large' }])
      const [failed] = await subject.outbox.failed({ workspace: null, ids: null }, 10)
      expect(JSON.parse(failed!.event).data.text).toHaveLength(600_000)
    })

    it('keeps waiting rows in order until they are released', async () => {
      const session = await open()
      await subject.emit('acme', eventOf(1), eventOf(2))
      await subject.emit('beta', eventOf(3))
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'waiting', reason: 'no key' })))
      expect([...(await session.workspacesWaiting())].sort()).toEqual(['acme', 'beta'])
      const [first, second] = await session.waiting('acme')
      expect([first!, second!].map(numberOf)).toEqual([1, 2])
      await session.release([first!])
      expect((await session.waiting('acme')).map(numberOf)).toEqual([2])
      expect(await session.backlog()).toMatchObject({ pending: 2, waiting: 2, failed: 0 })
    })

    it('does not hold the same event twice', async () => {
      const session = await open()
      await subject.emit('acme', eventOf(1))
      const [row] = await readAll(session)
      await session.hold([{ row: row!, state: 'waiting', reason: 'no key' }])
      await session.hold([{ row: row!, state: 'waiting', reason: 'no key' }])
      expect(await session.waiting('acme')).toHaveLength(1)
    })

    it('holds two rows with the same event id in one call, each separately', async () => {
      const session = await open()
      await subject.emit('acme', { ...eventOf(1), id: 'evt_1' }, { ...eventOf(2), id: 'evt_1' })
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'waiting', reason: 'no key' })))
      expect((await session.waiting('acme')).map(numberOf)).toEqual([1, 2])
      // The corrected event of a failed one.
      const [first] = await session.waiting('acme')
      await session.hold([{ row: first!, state: 'failed', reason: 'wrong' }])
      expect((await session.waiting('acme')).map(numberOf)).toEqual([2])
    })

    it('lists failed events, and retries and drops the named ones', async () => {
      const session = await open()
      await subject.emit('acme', { ...eventOf(1), id: 'evt_1' }, { ...eventOf(2), id: 'evt_2' })
      await subject.emit('beta', { ...eventOf(3), id: 'evt_3' })
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'failed', reason: '/data is wrong' })))
      expect(await session.backlog()).toMatchObject({ pending: 0, waiting: 0, failed: 3 })
      const all = { workspace: null, ids: null }
      expect((await subject.outbox.failed(all, 2)).length).toBe(2)
      const ofAcme = await subject.outbox.failed({ workspace: 'acme', ids: null }, 10)
      expect(ofAcme.map(({ reason }) => reason)).toEqual(['/data is wrong', '/data is wrong'])
      expect(await subject.outbox.retry({ workspace: null, ids: ['evt_1', 'evt_unknown'] })).toBe(1)
      expect((await session.waiting('acme')).map(numberOf)).toEqual([1])
      expect(await subject.outbox.drop({ workspace: 'beta', ids: null })).toBe(1)
      expect((await subject.outbox.failed(all, 10)).map(numberOf)).toEqual([2])
    })

    it('counts pending events, and the age of the oldest', async () => {
      const session = await open()
      const none = { pending: 0, oldestPendingMs: 0, waiting: 0, failed: 0 }
      expect(await session.backlog()).toEqual(none)
      await subject.emit('acme', eventOf(), eventOf())
      const { pending, waiting, oldestPendingMs } = await session.backlog()
      expect({ pending, waiting }).toEqual({ pending: 2, waiting: 0 })
      expect(oldestPendingMs).toBeGreaterThanOrEqual(0)
      expect(oldestPendingMs).toBeLessThan(60_000)
      await readAll(session)
      expect(await session.backlog()).toEqual(none)
    })

    it('reports its disk size, of emitted and of held events', async () => {
      const session = await open()
      const before = await session.stored()
      expect(before.oldestMs).toBe(0)
      const text = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
      const events = Array.from({ length: 20 }, () => ({ type: 'a', data: { text } }))
      await subject.emit('acme', ...events)
      const emitted = await session.stored()
      expect(emitted.emittedBytes - before.emittedBytes).toBeGreaterThan(3_000_000)
      expect(emitted.emittedBytes - before.emittedBytes).toBeLessThan(10_000_000)
      expect(emitted.oldestMs).toBeGreaterThanOrEqual(0)
      expect(emitted.heldBytes).toBe(before.heldBytes)
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'waiting', reason: 'no key' })))
      expect((await session.stored()).heldBytes - before.heldBytes).toBeGreaterThan(3_000_000)
    })

    it('lists workspaces with waiting events, with the reason of the next one', async () => {
      const session = await open()
      expect(await subject.outbox.waiting(null)).toEqual([])
      await subject.emit('acme', eventOf(1), eventOf(2), eventOf(3))
      await subject.emit('beta', eventOf(4))
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'waiting', reason: '404: no such workspace' })))
      const listed = async (workspace: string | null = null) =>
        (await subject.outbox.waiting(workspace))
          .map(({ emittedAt, ...rest }) => {
            expect(Math.abs(emittedAt - Date.now())).toBeLessThan(60_000)
            return rest
          })
          .sort((a, b) => a.workspace.localeCompare(b.workspace))
      const acme = { workspace: 'acme', rows: 3, isMore: false, reason: '404: no such workspace' }
      expect(await listed()).toEqual([acme, { ...acme, workspace: 'beta', rows: 1 }])
      const [first] = await session.waiting('acme')
      await session.change([{ row: first!, state: 'waiting', reason: '429: quota' }])
      expect(await listed('acme')).toEqual([{ ...acme, reason: '429: quota' }])
      expect(await listed('gamma')).toEqual([])
    })

    it('drops the waiting events of one workspace, even if a relay was about to publish them', async () => {
      const session = await open()
      await subject.emit('acme', ...[1, 2, 3, 4].map(eventOf))
      await subject.emit('beta', eventOf(5))
      const rows = await readAll(session)
      const [failed, ...waiting] = rows.filter(({ workspace }) => workspace === 'acme')
      await session.hold([{ row: failed!, state: 'failed', reason: 'wrong' }])
      const others = rows.filter(({ workspace }) => workspace === 'beta')
      await session.hold([...waiting, ...others].map((row) => ({ row, state: 'waiting', reason: 'no key' })))
      const underWay = await session.waiting('acme')
      expect(await subject.outbox.dropWaiting('acme')).toBe(3)
      // The relay's actions on its rows.
      await session.change([{ row: underWay[0]!, state: 'failed', reason: 'wrong' }])
      await session.change([{ row: underWay[1]!, state: 'waiting', reason: '429: quota' }])
      await session.release([underWay[2]!])
      expect(await session.waiting('acme')).toEqual([])
      expect(await session.waiting('beta')).toHaveLength(1)
      const left = await subject.outbox.failed({ workspace: 'acme', ids: null }, 10)
      expect(left.map(numberOf)).toEqual([1])
      expect(await subject.outbox.dropWaiting('acme')).toBe(0)
      // Rows that it holds afterwards wait as before.
      await subject.emit('acme', eventOf(6))
      const [later] = await readAll(session)
      await session.hold([{ row: later!, state: 'waiting', reason: 'no key' }])
      expect((await session.waiting('acme')).map(numberOf)).toEqual([6])
    })

    it('drops more than one step of waiting events', async () => {
      const session = await open()
      await subject.emit('acme', ...Array.from({ length: 6_000 }, (_, n) => eventOf(n)))
      const rows = await readAll(session)
      await session.hold(rows.map((row) => ({ row, state: 'waiting', reason: 'no key' })))
      expect((await subject.outbox.waiting('acme'))[0]!.rows).toBe(6_000)
      expect(await subject.outbox.dropWaiting('acme')).toBe(6_000)
      expect(await subject.outbox.waiting(null)).toEqual([])
    })
  })
}
