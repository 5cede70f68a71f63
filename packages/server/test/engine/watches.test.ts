import { expect, test } from 'vitest'
import { CachedRead } from '../../src/engine/cachedRead.ts'
import { createOverviewWatch, findOldestPending, QueueWatch } from '../../src/engine/maintenance/watches.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { PendingDelivery } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, storageOf } from './fakes.ts'

type Part = Awaited<ReturnType<StorageCalls['readQueue']>>

const EMPTY: Part = { pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: null }

test('the queue is counted once for all concurrent callers and a few seconds after', async () => {
  const clock = new ManualClock()
  const { calls, call } = openCalls<unknown, Part>()
  const watch = new QueueWatch({
    storage: storageOf({ readQueue: call as StorageCalls['readQueue'] }),
    clock,
  })
  const [first, second] = [watch.current(), watch.current()]
  calls[0]!.resolve({ ...EMPTY, pending: 3 })
  expect([await first, await second].map(({ pending }) => pending)).toEqual([3, 3])
  clock.advance(4999)
  expect((await watch.current()).pending).toBe(3)
  expect(calls).toHaveLength(1)
  clock.advance(1)
  void watch.current()
  expect(calls).toHaveLength(2)
})

test('however long a count took, it is repeated after five seconds', async () => {
  const clock = new ManualClock()
  const { calls, call } = openCalls<unknown, Part>()
  const watch = new QueueWatch({
    storage: storageOf({ readQueue: call as StorageCalls['readQueue'] }),
    clock,
  })
  const first = watch.current()
  clock.advance(4_000)
  calls[0]!.resolve(EMPTY)
  await first
  clock.advance(999)
  await watch.current()
  expect(calls).toHaveLength(1)
  clock.advance(1)
  void watch.current()
  expect(calls).toHaveLength(2)
})

test('a long count ends after half a second, with its partial result', async () => {
  const clock = new ManualClock()
  let parts = 0
  const part = async (): Promise<Part> => {
    clock.advance(100)
    parts += 1
    return { pending: 20_000, due: 1, limited: 0, unmade: 0, oldestDueAt: null, next: [parts] }
  }
  const watch = new QueueWatch({ storage: storageOf({ readQueue: part, readQueueLater: part }), clock })
  expect(await watch.current()).toMatchObject({ pending: 100_000, due: 5 })
})

test('a failed count fails for all callers of the next second, then it is repeated', async () => {
  const clock = new ManualClock()
  const { calls, call } = openCalls<unknown, Part>()
  const watch = new QueueWatch({
    storage: storageOf({ readQueue: call as StorageCalls['readQueue'] }),
    clock,
  })
  const first = watch.current()
  calls[0]!.reject(away())
  await expect(first).rejects.toThrow('away')
  clock.advance(999)
  await expect(watch.current()).rejects.toThrow('away')
  expect(calls).toHaveLength(1)
  clock.advance(1)
  const second = watch.current()
  calls[1]!.resolve(EMPTY)
  expect(await second).toMatchObject({ pending: 0 })
})

test('parts are added up, and a huge queue is not counted to its end', async () => {
  const clock = new ManualClock()
  const parts: Part[] = [
    { pending: 5, due: 2, limited: 0, unmade: 0, oldestDueAt: 70, next: [1] },
    { pending: 1, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: [2] },
    { pending: 2_000_000, due: 9, limited: 0, unmade: 0, oldestDueAt: 60, next: [3] },
  ]
  const readQueue: StorageCalls['readQueue'] = async () => parts[0]!
  const readQueueLater: StorageCalls['readQueueLater'] = async ({ from }) => parts[from[0]!]!
  const watch = new QueueWatch({ storage: storageOf({ readQueue, readQueueLater }), clock })
  expect(await watch.current()).toEqual({
    pending: 2_000_006,
    due: 11,
    limited: 0,
    unmade: 0,
    oldestDueAt: 60,
  })
})

test('shared data is read once for all callers, and again a second after a failure', async () => {
  const clock = new ManualClock()
  let [reads, fails] = [0, false]
  const shared = new CachedRead(clock, async () => {
    reads += 1
    if (fails) throw away()
    return reads
  })
  const asked = Array.from({ length: 50 }, () => shared.current())
  expect(new Set(await Promise.all(asked))).toEqual(new Set([1]))
  clock.advance(5_000)
  fails = true
  await expect(Promise.all([shared.current(), shared.current()])).rejects.toThrow('away')
  expect(reads).toBe(2)
  clock.advance(1_000)
  fails = false
  expect(await shared.current()).toBe(3)
})

const pending = (id: number, createdAt: number) => ({ id, createdAt }) as PendingDelivery

test('the oldest pending delivery is that of all parts, within the limit of a search', async () => {
  const clock = new ManualClock()
  const parts = [pending(1, 70), pending(2, 50), null, pending(3, 60), pending(4, 10)]
  const oldestPending: StorageCalls['oldestPending'] = async ({ from }) => {
    clock.advance(60)
    return { oldest: parts[from]!, next: from === parts.length - 1 ? null : from + 1 }
  }
  const storage = storageOf({ oldestPending })
  const of = { workspaceId: null, webhookId: null }
  expect(await findOldestPending({ storage, clock }, of)).toMatchObject({ id: 4 })
  parts.push(pending(5, 1))
  expect(await findOldestPending({ storage, clock }, of)).toMatchObject({ id: 4 })
})

test('the overall status is read at once and kept for five seconds', async () => {
  const clock = new ManualClock()
  let reads = 0
  const storage = storageOf({
    countWebhooks: async () => ({ on: ++reads, failing: 0, disabled: 0 }),
    readStats: async () => [
      {
        id: 0,
        at: 0,
        counts: new Map([
          [1, 4],
          [51, 1],
        ]),
      },
    ],
    oldestPending: async () => ({ oldest: null, next: null }),
  })
  const watch = createOverviewWatch({ storage, clock })
  expect(await watch.current()).toMatchObject({
    webhooks: { on: 1 },
    lastHour: { deliveries: { delivered: 4, failed: 1 } },
    oldestPending: null,
  })
  clock.advance(4_999)
  expect((await watch.current()).webhooks.on).toBe(1)
  clock.advance(1)
  expect((await watch.current()).webhooks.on).toBe(2)
})
