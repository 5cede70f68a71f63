import { expect, test } from 'vitest'
import { StoppingError } from '../../src/engine/engine.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { createQueueSampler, createStatsRollup } from '../../src/engine/maintenance/stats.ts'
import { QueueWatch } from '../../src/engine/maintenance/watches.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { QueueSample } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Part = Awaited<ReturnType<StorageCalls['readQueue']>>

const EMPTY: Part = { pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null, next: null }

test('the rollup continues at once while there is more than one step takes, and then rests', async () => {
  const clock = new ManualClock()
  const answers = [true, true, false, false]
  let asked = 0
  const storage = storageOf({ rollUpStats: async () => answers[asked++]! })
  const rollup = createStatsRollup({ storage, clock, failureLog: new FailureLog(clock, recordedLog()) })
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

test('a stop waits only for the current step, and discards its counts', async () => {
  const clock = new ManualClock()
  const { calls, call } = openCalls<unknown, Part>()
  const kept: QueueSample[] = []
  const storage = storageOf({
    readQueue: call as StorageCalls['readQueue'],
    readQueueLater: call as StorageCalls['readQueueLater'],
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
