import { describe, expect, test } from 'vitest'
import type { QuotaExceeded } from '../../src/core/quotas.ts'
import type { EventRows } from '../../src/engine/publish/eventRows.ts'
import { Publisher } from '../../src/engine/publish/publisher.ts'
import { room as roomIn } from '../../src/engine/schedule/admission.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { WebhookRef } from '../../src/storage/rows.ts'
import type { PublishResult } from '../../src/storage/storage.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { away, openCalls, settled, storageOf } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

type Params = Parameters<StorageCalls['publish']>[0]

type Accepted = Extract<PublishResult, { outcome: 'accepted' }>

const STORED: Accepted = {
  outcome: 'accepted',
  repeats: [null],
  deliveries: 0,
  late: 0,
  leased: [],
  unleased: [],
}

function setUp() {
  const { calls, call } = openCalls<Params, readonly PublishResult[]>()
  const lease = { nodeId: 1 }
  const backlog: WebhookRef[] = []
  const fanout = { woken: 0, wake: () => fanout.woken++ }
  const stored: number[] = []
  const lanes = new TestLanes({ maxInFlight: 1, maxInFlightPerWebhook: 1 })
  const used: EventRows['rows'][] = []
  const givenBack: EventRows['rows'][] = []
  const quota = {
    exceeded: null as QuotaExceeded | null,
    pending: 0,
    use(events: EventRows['rows']) {
      if (quota.exceeded === null) used.push(events)
      return quota.exceeded
    },
    release: (events: EventRows['rows']) => void givenBack.push(events),
    addPending(_: number, deliveries: number) {
      quota.pending += deliveries
    },
  }
  const publisher = new Publisher({
    storage: storageOf({ publish: call }),
    clock: lanes.clock,
    quotas: quota,
    lanes,
    claimer: { noteBacklog: (webhooks) => void backlog.push(...webhooks) },
    releaser: { add() {} },
    fanout,
    searchIndexer: { published() {} },
    observer: { published: (_, events) => stored.push(events) },
    lease,
    maxFanout: () => 70,
  })
  return { publisher, calls, lease, backlog, fanout, stored, lanes, quota, used, givenBack }
}

function rows(...ids: readonly number[]): EventRows {
  return rowsOf(1, ids)
}

function rowsOf(workspaceId: number, ids: readonly number[]): EventRows {
  return {
    ids: ids.map((id) => `toy-evt-${id}`),
    rows: ids.map((id) => ({
      id,
      workspaceId,
      type: 'brick.stacked',
      broughtId: null,
      broughtRowId: null,
      fingerprint: null,
      body: `body ${id}`,
      createdAt: 100 + id,
      traceparent: null,
    })),
    trace: null,
  }
}

describe('the publisher', () => {
  test('stores everything of one turn of the event loop in one call, each batch separately', async () => {
    const { publisher, calls, lanes } = setUp()
    lanes.noteBacklog(lanes.of({ webhookId: 42, workspaceId: 1 }))
    lanes.noteBacklog(lanes.of({ webhookId: 43, workspaceId: 2 }))
    const first = publisher.publish(toyDialect, rows(1, 2), null)
    const second = publisher.publish(toyDialect, rows(3), null)
    await settled()
    expect(calls).toHaveLength(1)
    expect(calls[0]!.params.batches.map((batch) => batch.map(({ id }) => id))).toEqual([[1, 2], [3]])
    expect(calls[0]!.params).toMatchObject({ nodeId: 1, keepInStore: [42] })
    calls[0]!.resolve([
      { ...STORED, repeats: [null, null] },
      { outcome: 'id_conflict', event: 0 },
    ])
    expect(await first).toEqual({
      outcome: 'accepted',
      events: [
        { id: 'toy-evt-1', repeated: false },
        { id: 'toy-evt-2', repeated: false },
      ],
    })
    expect(await second).toEqual({ outcome: 'id_conflict', event: 0 })
  })

  test('makes a call for each workspace, and splits data that is too large for one commit', async () => {
    const { publisher, calls } = setUp()
    const many = (from: number) => Array.from({ length: 60 }, (_, n) => from + n)
    for (const events of [rowsOf(1, [1]), rowsOf(2, [2]), rowsOf(1, [3]), rowsOf(2, many(100))])
      void publisher.publish(toyDialect, events, null)
    void publisher.publish(toyDialect, rowsOf(2, many(1_000)), null)
    await settled()
    const batches = calls.map(({ params }) => params.batches.map((batch) => batch[0]!.id))
    expect(batches).toEqual([[1, 3], [2, 100], [1_000]])
    expect(calls.map(({ params }) => params.maxFanout)).toEqual([70, 70, 70])
  })

  test("reports a workspace's pending deliveries when its batch exceeds the limit", async () => {
    const { publisher, calls, fanout } = setUp()
    const published = publisher.publish(toyDialect, rows(1), null)
    await settled()
    calls[0]!.resolve([{ outcome: 'fanout_full', waiting: 65 }])
    expect(await published).toEqual({
      outcome: 'quota_exceeded',
      quota: 'uncreatedDeliveries',
      used: 65,
      max: 70,
      retryAfterMs: expect.any(Number),
    })
    expect(fanout.woken).toBe(0)
  })

  test('reports deliveries that are not created yet, which do not use promised memory', async () => {
    const { publisher, calls, fanout } = setUp()
    const published = publisher.publish(toyDialect, rows(1), null)
    await settled()
    calls[0]!.resolve([{ ...STORED, deliveries: 3_000, late: 3_000 }])
    await published
    expect(fanout.woken).toBe(1)
    void publisher.publish(toyDialect, rows(1, 2), null)
    await settled()
    expect(calls[1]!.params.room).toBe(50)
  })

  test('answers only once the store has', async () => {
    const { publisher, calls } = setUp()
    let answered = false
    const published = publisher.publish(toyDialect, rows(1), null).then(() => {
      answered = true
    })
    await settled()
    expect(answered).toBe(false)
    calls[0]!.resolve([STORED])
    await published
  })

  test('passes on leased deliveries, with the bytes of their event', async () => {
    const { publisher, calls, lanes, backlog } = setUp()
    const published = publisher.publish(toyDialect, rows(1, 2), null)
    await settled()
    calls[0]!.resolve([
      {
        outcome: 'accepted',
        repeats: [null, null],
        deliveries: 2,
        late: 0,
        leased: [{ deliveryId: 9, createdAt: 0, lease: 4, webhookId: 5, webhookVersion: 3, event: 1 }],
        unleased: [6],
      },
    ])
    await published
    expect(lanes.takeNext()).toEqual({
      id: 9,
      lease: 4,
      workspaceId: 1,
      webhookId: 5,
      webhookVersion: 3,
      eventId: 2,
      eventPublicId: 'toy-evt-2',
      eventType: 'brick.stacked',
      body: 'body 2',
      createdAt: 102,
      traceparent: null,
      attempts: 0,
      trigger: 'schedule',
      runStart: 0,
      retryNumber: null,
      replayId: null,
    })
    expect(backlog).toEqual([{ webhookId: 6, workspaceId: 1 }])
  })

  test('sends nothing under a lease that was lost in the meantime, but reports it as stored', async () => {
    const { publisher, calls, lease, lanes } = setUp()
    const published = publisher.publish(toyDialect, rows(1), null)
    await settled()
    lease.nodeId = 2
    const ref = { deliveryId: 9, createdAt: 0, lease: 4, webhookId: 5, webhookVersion: 3, event: 0 }
    calls[0]!.resolve([{ ...STORED, leased: [ref] }])
    expect(await published).toMatchObject({ outcome: 'accepted' })
    expect(lanes.memory.waiting).toBe(0)
  })

  test('reports for each event whether it was published before', async () => {
    const { publisher, calls } = setUp()
    const published = publisher.publish(toyDialect, rows(1, 2), null)
    await settled()
    const earlier = { id: 1, broughtId: null, createdAt: 1 }
    calls[0]!.resolve([{ ...STORED, repeats: [earlier, null] }])
    expect(await published).toMatchObject({ events: [{ repeated: true }, { repeated: false }] })
  })

  test('reports only newly stored events, not repeats', async () => {
    const { publisher, calls, stored } = setUp()
    const published = publisher.publish(toyDialect, rows(1, 2, 3), null)
    await settled()
    const earlier = { id: 1, broughtId: null, createdAt: 1 }
    calls[0]!.resolve([{ ...STORED, repeats: [null, earlier, null] }])
    await published
    expect(stored).toEqual([2])
  })

  test('rejects every batch of a call that the store rejected, and frees its room', async () => {
    const { publisher, calls, lanes } = setUp()
    const room = roomIn(lanes.memory.totals)
    const both = Promise.allSettled([
      publisher.publish(toyDialect, rows(1), null),
      publisher.publish(toyDialect, rows(2), null),
    ])
    await settled()
    expect(roomIn(lanes.memory.totals)).toBeLessThan(room)
    calls[0]!.reject(away())
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(roomIn(lanes.memory.totals)).toBe(room)
  })

  test('promises its calls at most the room there is in total', async () => {
    const { publisher, calls, lanes } = setUp()
    const room = roomIn(lanes.memory.totals)
    for (let i = 0; i < 12; i++) {
      void publisher.publish(
        toyDialect,
        rows(...Array.from({ length: 1_000 }, (_, n) => i * 1_000 + n)),
        null,
      )
      await settled()
    }
    const ofOneWorkspace = (room * 4) / 5
    expect(calls.reduce((sum, { params }) => sum + params.room, 0)).toBe(ofOneWorkspace)
    expect([roomIn(lanes.memory.totals), lanes.memory.publishRoomOf(1)]).toEqual([room - ofOneWorkspace, 0])
  })

  test('promises a call the likely size of its events, so that concurrent ones leave room for others', async () => {
    const { publisher, calls } = setUp()
    const roomOf = async (workspaceId: number, ...ids: number[]) => {
      const published = publisher.publish(toyDialect, rowsOf(workspaceId, ids), null)
      await settled()
      const { params, resolve } = calls.at(-1)!
      resolve([{ ...STORED, deliveries: ids.length * 100 }])
      await published
      return params.room
    }
    const roomFor = (...ids: number[]) => roomOf(1, ...ids)
    const many = Array.from({ length: 200 }, (_, n) => n)
    expect([await roomFor(1), await roomFor(...many)]).toEqual([50, 2_000])
    for (let i = 0; i < 100; i++) await roomFor(i)
    expect([await roomFor(1), await roomFor(...many)]).toEqual([200, 2_000])
    expect(await roomOf(2, 1)).toBe(50)
  })

  test('drains publishes of the current turn, too', async () => {
    const { publisher, calls } = setUp()
    const published = publisher.publish(toyDialect, rows(1), null)
    const drained = publisher.drain()
    expect(calls).toHaveLength(1)
    calls[0]!.resolve([STORED])
    await Promise.all([drained, published])
  })
})

describe('quotas', () => {
  const exceeded: QuotaExceeded = {
    outcome: 'quota_exceeded',
    quota: 'eventsPerSecond',
    used: 5,
    max: 5,
    retryAfterMs: 100,
  }

  test('are used before the store is called, and later deliveries count as pending', async () => {
    const { publisher, calls, quota, used, givenBack } = setUp()
    const published = publisher.publish(toyDialect, rows(1, 2), null)
    expect(used).toMatchObject([[{ id: 1 }, { id: 2 }]])
    await settled()
    calls[0]!.resolve([{ ...STORED, repeats: [null, null], deliveries: 7 }])
    await published
    expect([quota.pending, givenBack]).toEqual([7, []])
  })

  test('that are exceeded reject the batch without a store call', async () => {
    const { publisher, calls, quota } = setUp()
    quota.exceeded = exceeded
    expect(await publisher.publish(toyDialect, rows(1), null)).toEqual(exceeded)
    await settled()
    expect(calls).toHaveLength(0)
  })

  test('get back the amount of events that the store did not accept', async () => {
    const { publisher, calls, givenBack } = setUp()
    const batches = [rows(1), rows(2)]
    const both = Promise.allSettled(batches.map((batch) => publisher.publish(toyDialect, batch, null)))
    await settled()
    calls[0]!.resolve([STORED, { outcome: 'fanout_full', waiting: 65 }])
    await both
    expect(givenBack).toEqual([batches[1]!.rows])
    const failing = publisher.publish(toyDialect, batches[0]!, null)
    await settled()
    calls[1]!.reject(away())
    await expect(failing).rejects.toThrow()
    expect(givenBack).toEqual([batches[1]!.rows, batches[0]!.rows])
  })
})
