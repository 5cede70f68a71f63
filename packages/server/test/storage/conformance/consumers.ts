import { describe, expect, test } from 'vitest'
import type { Consumer, Workspace } from '../../../src/storage/rows.ts'
import type { ConsumerStart } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, MINUTE_MS, type World } from './world.ts'

const OLDEST = [0, 0]

/** A consumer and calls on it. */
class Reader {
  consumer!: Consumer
  readonly #w: World
  readonly #workspace: Workspace
  readonly #name: string

  constructor(w: World, workspace: Workspace, name = 'crm') {
    this.#w = w
    this.#workspace = workspace
    this.#name = name
  }

  async create(start: ConsumerStart = OLDEST, eventTypes: readonly string[] | null = null): Promise<this> {
    const { id: workspaceId } = this.#workspace
    const params = { workspaceId, name: this.#name, eventTypes, start, max: 100, now: this.#w.now }
    const created = await this.#w.storage.createConsumer(params)
    if (created.outcome !== 'created') throw new Error(created.outcome)
    this.consumer = created.consumer
    return this
  }

  async reread(): Promise<Consumer> {
    const { id: workspaceId } = this.#workspace
    this.consumer = (await this.#w.storage.getConsumer({ workspaceId, name: this.#name }))!
    return this.consumer
  }

  async page(limit = 100) {
    const { eventTypes, position } = await this.reread()
    const { id: workspaceId } = this.#workspace
    return this.#w.storage.listEvents({ workspaceId, eventTypes, after: position, limit })
  }

  acknowledge(position: readonly number[], { generation, lost }: Pick<Consumer, 'generation' | 'lost'>) {
    const { id: workspaceId } = this.#workspace
    const { id: consumerId } = this.consumer
    const read = { generation, lost, position }
    return this.#w.storage.acknowledge({ workspaceId, consumerId, ...read, now: this.#w.now })
  }

  async lag(most = 1_000) {
    const [lag] = await this.#w.storage.consumerLags({ consumers: [await this.reread()], most })
    return lag!
  }
}

async function published(w: World, workspace: Workspace, count: number, type = 'thing.happened') {
  const events = await w.events(count, workspace, { type })
  await w.publish(await w.node(), events)
  await w.settled()
  return events.map(({ id }) => id)
}

const idsOf = ({ events }: { readonly events: readonly { readonly id: number }[] }) =>
  events.map(({ id }) => id)

export function consumerSuite({ world, opened }: Subject): void {
  describe('consumers', () => {
    test('one starts at the given position: with the oldest event, after one, or with new ones', async () => {
      const w = world()
      const workspace = await w.workspace()
      const ids = await published(w, workspace, 3)
      const oldest = await new Reader(w, workspace, 'oldest').create()
      const now = await new Reader(w, workspace, 'now').create('now')
      const { events } = await oldest.page()
      const behind = await new Reader(w, workspace, 'behind').create(events[1]!.position)
      expect([await oldest.page(), await now.page(), await behind.page()].map(idsOf)).toEqual([
        ids,
        [],
        [ids[2]],
      ])
      const next = await published(w, workspace, 2)
      expect(idsOf(await now.page())).toEqual(next)
    })

    test('an unacknowledged event is returned again, an acknowledged one never', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create()
      const ids = await published(w, workspace, 4)
      const first = await reader.page(3)
      expect(idsOf(first)).toEqual(ids.slice(0, 3))
      expect(idsOf(await reader.page(3))).toEqual(ids.slice(0, 3))
      const done = await reader.acknowledge(first.events[1]!.position, reader.consumer)
      expect(done).toMatchObject({ outcome: 'acknowledged', moved: true })
      expect(await reader.reread()).toMatchObject({ acknowledgedAt: w.now, generation: 1 })
      expect(idsOf(await reader.page())).toEqual(ids.slice(2))
    })

    test('an acknowledgement moves nothing back, repeated or late', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create()
      const ids = await published(w, workspace, 3)
      const { events } = await reader.page()
      const { consumer } = reader
      await reader.acknowledge(events[2]!.position, consumer)
      for (const { position } of events) {
        expect(await reader.acknowledge(position, consumer)).toMatchObject({ moved: false })
      }
      expect(ids).toHaveLength(3)
      expect(idsOf(await reader.page())).toEqual([])
    })

    test('concurrent reads get the same as single ones', async () => {
      const w = world()
      const [workspace, other] = [await w.workspace(), await w.workspace()]
      const readers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => new Reader(w, workspace, `r${n}`).create()),
      )
      const gone = await new Reader(w, workspace, 'gone').create()
      const ids = await published(w, workspace, 3)
      const { events } = await gone.page()
      await w.storage.deleteConsumer({ workspaceId: workspace.id, name: 'gone' })
      const { position } = events[1]!
      const foreign = { workspaceId: other.id, consumerId: readers[0]!.consumer.id, generation: 1, lost: 0 }
      const [later, earlier, outdated, ofNone, ofOther, ...each] = await Promise.all([
        readers[0]!.acknowledge(events[2]!.position, readers[0]!.consumer),
        readers[0]!.acknowledge(position, readers[0]!.consumer),
        readers[1]!.acknowledge(position, { generation: 7, lost: 0 }),
        gone.acknowledge(position, gone.consumer),
        w.storage.acknowledge({ ...foreign, position, now: w.now }),
        ...readers.slice(2).map((reader) => reader.acknowledge(position, reader.consumer)),
      ])
      expect([later, earlier]).toMatchObject([{ moved: true }, { outcome: 'acknowledged' }])
      expect([outdated, ofNone, ofOther].map((one) => one!.outcome)).toEqual([
        'outdated',
        'not_found',
        'not_found',
      ])
      for (const one of each) expect(one).toMatchObject({ moved: true })
      const left = await Promise.all(readers.map(async (reader) => idsOf(await reader.page())))
      expect(left).toEqual([[], ids, ...readers.slice(2).map(() => ids.slice(2))])
    })

    test('events read before a seek can no longer be acknowledged', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create()
      const ids = await published(w, workspace, 3)
      const { events } = await reader.page()
      const before = reader.consumer
      const seek = { workspaceId: workspace.id, name: 'crm', start: OLDEST, now: w.now + 1 }
      expect(await w.storage.seekConsumer(seek)).toMatchObject({ generation: 2, movedAt: w.now + 1 })
      expect(await reader.acknowledge(events[2]!.position, before)).toEqual({ outcome: 'outdated' })
      expect(idsOf(await reader.page())).toEqual(ids)
      expect(await w.storage.seekConsumer({ ...seek, name: 'other' })).toBeNull()
      expect(await w.storage.seekConsumer({ ...seek, start: 'now' })).toMatchObject({ generation: 3 })
      expect(idsOf(await reader.page())).toEqual([])
    })

    test('names are unique in a workspace, and their number is limited, also for concurrent calls', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const create = (workspace: Workspace, name: string, max = 3) =>
        w.storage.createConsumer({
          workspaceId: workspace.id,
          name,
          eventTypes: null,
          start: 'now',
          max,
          now: w.now,
        })
      const all = await Promise.all(['a', 'a', 'b', 'c', 'd', 'e'].map((name) => create(mine, name)))
      const outcomes = all.map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(3)
      expect(outcomes).toContain('limit_reached')
      expect(await create(other, 'a')).toMatchObject({ outcome: 'created' })
      expect(await create(other, 'a')).toEqual({ outcome: 'exists' })
      const page = { workspaceId: mine.id, limit: 2, before: null }
      const [newest, next] = await w.storage.listConsumers(page)
      const rest = await w.storage.listConsumers({ ...page, before: next!.id })
      expect([newest, next, ...rest].map((one) => one!.workspaceId)).toEqual([mine.id, mine.id, mine.id])
      expect(await w.storage.walkConsumers({ after: 0, limit: 10 })).toHaveLength(4)
    })

    test('a deleted one is gone, and a new one of its name accepts no acknowledgement of the old one', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create()
      const former = reader.consumer
      const ids = await published(w, workspace, 2)
      const { events } = await reader.page()
      const name = { workspaceId: workspace.id, name: 'crm' }
      expect(await w.storage.deleteConsumer(name)).toBe(true)
      expect(await w.storage.deleteConsumer(name)).toBe(false)
      expect(await w.storage.getConsumer(name)).toBeNull()
      const again = await new Reader(w, workspace).create()
      const { position } = events[1]!
      const late = { workspaceId: workspace.id, consumerId: former.id, generation: 1, lost: 0, position }
      expect(await w.storage.acknowledge({ ...late, now: w.now })).toEqual({ outcome: 'not_found' })
      expect(idsOf(await again.page())).toEqual(ids)
    })

    test('a deleted workspace has none left, and none can be created in it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create()
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      expect(await w.storage.walkConsumers({ after: 0, limit: 10 })).toEqual([])
      await expect(reader.create()).rejects.toThrow('workspace_not_found')
    })

    test('a page has a limited number of body bytes, and at least one event however large', async () => {
      const w = world()
      const workspace = await w.workspace()
      const sizes = [10, 20, 30, 5_000, 40, 50, 60, 70, 80, 90, 100, 4_000, 10]
      const events = await w.events(sizes.length, workspace)
      const bodies = sizes.map((size) => JSON.stringify('é'.repeat(size / 2)))
      await w.publish(
        await w.node(),
        events.map((event, at) => ({ ...event, body: bodies[at]! })),
      )
      await w.settled()
      const seen: string[] = []
      const pages: number[] = []
      const { id: workspaceId } = workspace
      for (let after: readonly number[] | null = null, more = true; more; ) {
        const page = await w.storage.listEvents({
          workspaceId,
          eventTypes: null,
          after,
          limit: 100,
          maxBytes: 300,
        })
        seen.push(...page.events.map(({ body }) => body))
        pages.push(page.events.length)
        after = page.next
        more = page.more
      }
      expect(seen).toEqual(bodies)
      expect(pages).toEqual([3, 1, 4, 3, 1, 1])
    })

    test('its lag counts events of its types, up to a limit, and has the time of the first', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const all = await new Reader(w, mine, 'all').create()
      const some = await new Reader(w, mine, 'some').create(OLDEST, ['wanted', "it's"])
      expect(await all.lag()).toEqual({ events: 0, more: false, oldestAt: null })
      const beganAt = w.now
      await published(w, mine, 3)
      await published(w, other, 2)
      w.now += MINUTE_MS
      await published(w, mine, 2, 'wanted')
      expect(await all.lag()).toEqual({ events: 5, more: false, oldestAt: beganAt })
      expect(await some.lag()).toEqual({ events: 2, more: false, oldestAt: w.now })
      expect(await all.lag(4)).toEqual({ events: 4, more: true, oldestAt: beganAt })
      expect(await some.lag(3)).toEqual({ events: 0, more: true, oldestAt: null })
      const { events } = await all.page()
      await all.acknowledge(events[3]!.position, all.consumer)
      expect(await all.lag()).toEqual({ events: 1, more: false, oldestAt: w.now })
    })

    test('one with few matching types is moved past other events, unless it moved in the meantime', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create(OLDEST, ['wanted'])
      await published(w, workspace, 3)
      const { next } = await reader.page()
      const { id, generation, position } = reader.consumer
      const skip = { workspaceId: workspace.id, id, generation, to: next! }
      await w.storage.skipUnwanted({ ...skip, from: next! })
      expect((await reader.reread()).position).toEqual(position)
      await w.storage.skipUnwanted({ ...skip, from: position, generation: 7 })
      expect((await reader.reread()).position).toEqual(position)
      await w.storage.skipUnwanted({ ...skip, from: position })
      expect(await reader.reread()).toMatchObject({ acknowledgedAt: null })
      expect(reader.consumer.position.slice(0, next!.length)).toEqual(next)
    })

    test('a time is found by the first event that was accepted then or later', async () => {
      const w = world()
      const workspace = await w.workspace()
      const early = await published(w, workspace, 2)
      w.now += MINUTE_MS
      const since = w.now
      const late = await published(w, workspace, 2)
      // The clock of another node is behind: its events still come later.
      w.now -= MINUTE_MS
      const behind = await published(w, workspace, 1)
      const { id: workspaceId } = workspace
      const found = await w.storage.placeBefore({ workspaceId, after: OLDEST, time: since })
      const reader = await new Reader(w, workspace).create(found.place)
      expect(found.done).toBe(true)
      expect(idsOf(await reader.page())).toEqual([...late, ...behind])
      const all = await w.storage.placeBefore({ workspaceId, after: OLDEST, time: 0 })
      expect(all).toEqual({ place: OLDEST, done: true })
      const none = await w.storage.placeBefore({ workspaceId, after: OLDEST, time: since + DAY_MS })
      const end = await new Reader(w, workspace, 'end').create(none.place)
      expect(idsOf(await end.page())).toEqual([])
      expect(early).toHaveLength(2)
    })

    test('events removed by the retention before they are acknowledged are counted until the reader knows', async () => {
      const w = world()
      const workspace = await w.workspace()
      const all = await new Reader(w, workspace, 'all').create()
      const some = await new Reader(w, workspace, 'some').create(OLDEST, ['wanted'])
      const done = await new Reader(w, workspace, 'done').create()
      await published(w, workspace, 3)
      await published(w, workspace, 1, 'wanted')
      const { next, events } = await done.page()
      await done.acknowledge(next!, done.consumer)
      await all.page()
      await all.acknowledge(events[0]!.position, all.consumer)
      w.now += 2 * DAY_MS
      const kept = await published(w, workspace, 1, 'wanted')
      await w.expireAll(w.now - DAY_MS)
      expect(await all.reread()).toMatchObject({ lost: 3, lostSeen: 0, lostAt: w.now })
      expect(await some.reread()).toMatchObject({ lost: 1, lostSeen: 0, lostAt: w.now })
      expect(await done.reread()).toMatchObject({ lost: 0, lostAt: null })
      expect(idsOf(await some.page())).toEqual(kept)
      const page = await all.page()
      expect(idsOf(page)).toEqual(kept)
      await all.acknowledge(page.next!, { ...all.consumer, lost: 2 })
      expect(await all.reread()).toMatchObject({ lost: 3, lostSeen: 2 })
      await all.acknowledge(page.next!, all.consumer)
      expect(await all.reread()).toMatchObject({ lost: 3, lostSeen: 3 })
      const seek = { workspaceId: workspace.id, name: 'some', start: OLDEST, now: w.now }
      expect(await w.storage.seekConsumer(seek)).toMatchObject({ lost: 1, lostSeen: 1 })
    })

    test('it keeps its position when the store is opened again', async () => {
      const w = world()
      const workspace = await w.workspace()
      const reader = await new Reader(w, workspace).create(OLDEST, ['thing.happened'])
      await published(w, workspace, 3)
      const { events } = await reader.page()
      await reader.acknowledge(events[1]!.position, reader.consumer)
      const before = await reader.reread()
      const storage = await opened().reopen()
      expect(await storage.getConsumer({ workspaceId: workspace.id, name: 'crm' })).toEqual(before)
    })
  })
}
