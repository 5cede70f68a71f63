import { expect, test } from 'vitest'
import { StoppingError } from '../../src/engine/engine.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { createFigureRollup, createQueueSampler, QueueWatch } from '../../src/engine/maintenance/figures.ts'
import type { Verbs } from '../../src/storage/areas.ts'
import type { QueueSample } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Part = Awaited<ReturnType<Verbs['readQueue']>>

const EMPTY: Part = { pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: null }

test('the rollup goes on at once while there is more than a step takes, and rests then', async () => {
  const clock = new ManualClock()
  const answers = [true, true, false, false]
  let asked = 0
  const storage = storageOf({ rollUpFigures: async () => answers[asked++]! })
  const rollup = createFigureRollup({ storage, clock, failureLog: new FailureLog(clock, recordedLog()) })
  rollup.start()
  for (let turn = 0; turn < 5; turn++) {
    clock.advance(0)
    await settled()
  }
  expect(asked).toBe(3)
  clock.advance(4999)
  expect(asked).toBe(3)
  clock.advance(1)
  expect(asked).toBe(4)
  await rollup.stop()
})

test('the queue is counted once for all who ask meanwhile and a few seconds after', async () => {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<unknown, Part>()
  const watch = new QueueWatch({ storage: storageOf({ readQueue: verb as Verbs['readQueue'] }), clock })
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

test('a count that takes long is good for long', async () => {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<unknown, Part>()
  const watch = new QueueWatch({ storage: storageOf({ readQueue: verb as Verbs['readQueue'] }), clock })
  const first = watch.current()
  clock.advance(200)
  calls[0]!.resolve(EMPTY)
  await first
  clock.advance(19_000)
  await watch.current()
  expect(calls).toHaveLength(1)
})

test.each([
  [2_000, 60_000],
  [7_000, 70_000],
])('a count that took %d ms is good for %d ms, since alerts watch it', async (took, goodFor) => {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<unknown, Part>()
  const watch = new QueueWatch({ storage: storageOf({ readQueue: verb as Verbs['readQueue'] }), clock })
  const first = watch.current()
  clock.advance(took)
  calls[0]!.resolve(EMPTY)
  await first
  clock.advance(goodFor - took - 1)
  void watch.current()
  expect(calls).toHaveLength(1)
  clock.advance(1)
  void watch.current()
  expect(calls).toHaveLength(2)
})

test('a count that failed is made anew for the next who asks', async () => {
  const clock = new ManualClock()
  let fails = true
  const readQueue = async () => {
    if (fails) throw away()
    return EMPTY
  }
  const watch = new QueueWatch({ storage: storageOf({ readQueue }), clock })
  await expect(watch.current()).rejects.toThrow('away')
  fails = false
  expect(await watch.current()).toMatchObject({ pending: 0 })
})

test('parts are added up, and a queue beyond all measure is not counted to its end', async () => {
  const clock = new ManualClock()
  const parts: Part[] = [
    { pending: 5, due: 2, limited: 0, unmade: 0, oldestDueAt: 70, next: [1] },
    { pending: 1, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: [2] },
    { pending: 2_000_000, due: 9, limited: 0, unmade: 0, oldestDueAt: 60, next: [3] },
  ]
  const readQueue: Verbs['readQueue'] = async ({ from }) => parts[from === null ? 0 : from[0]!]!
  const watch = new QueueWatch({ storage: storageOf({ readQueue }), clock })
  expect(await watch.current()).toEqual({
    pending: 2_000_006,
    due: 11,
    limited: 0,
    unmade: 0,
    oldestDueAt: 60,
  })
})

test('a stop waits for no more than the step under way, and keeps nothing of what was counted until then', async () => {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<unknown, Part>()
  const kept: QueueSample[] = []
  const storage = storageOf({
    readQueue: verb as Verbs['readQueue'],
    hasQueueSample: async () => false,
    keepQueueSample: async (sample) => void kept.push(sample),
  })
  const queue = new QueueWatch({ storage, clock })
  const sampler = createQueueSampler({
    storage,
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    queue,
  })
  sampler.start()
  clock.advance(0)
  await settled()
  const asked = queue.current()
  calls[0]!.resolve({ ...EMPTY, pending: 10_000, next: [1] })
  await settled()
  expect(calls).toHaveLength(2)
  queue.stop()
  const stopped = sampler.stop()
  calls[1]!.resolve({ ...EMPTY, pending: 10_000, next: [2] })
  await stopped
  await expect(asked).rejects.toThrow(StoppingError)
  expect(calls).toHaveLength(2)
  expect(kept).toEqual([])
})

test('a minute that has a sample gets no other', async () => {
  const clock = new ManualClock()
  const kept: QueueSample[] = []
  const storage = storageOf({
    hasQueueSample: async ({ at }) => kept.some((sample) => sample.at === at),
    keepQueueSample: async (sample) => void kept.push(sample),
    readQueue: async () => EMPTY,
  })
  const params = { storage, clock, failureLog: new FailureLog(clock, recordedLog()) }
  const queue = new QueueWatch(params)
  const nodes = [createQueueSampler({ ...params, queue }), createQueueSampler({ ...params, queue })]
  for (const node of nodes) await node.runOnce()
  expect(kept).toHaveLength(1)
  clock.advance(60_000)
  for (const node of nodes) await node.runOnce()
  expect(kept).toHaveLength(2)
  expect(kept[1]!.at - kept[0]!.at).toBe(60_000)
  expect(kept[0]!.at % 60_000).toBe(0)
})
