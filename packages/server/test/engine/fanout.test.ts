import { expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { Tracing } from '../../src/engine/log/tracing.ts'
import { createFanoutLoop } from '../../src/engine/publish/fanout.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { FanoutStep } from '../../src/storage/interface/maintenance.ts'
import { ManualClock } from '../support/manualClock.ts'
import { openCalls, recordedLog, settled, storageOf } from './fakes.ts'

function setUp(tracing: Pick<Tracing, 'fannedOut'> | null = null) {
  const clock = new ManualClock()
  const { calls, call } = openCalls<Parameters<StorageCalls['stepFanouts']>[0], FanoutStep>()
  const made: number[][] = []
  const loop = createFanoutLoop({
    storage: storageOf({ stepFanouts: call }),
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    claimer: { deliveriesCreated: (workspaceIds) => made.push([...workspaceIds]) },
    tracing,
  })
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  const answer = async (looked: number) => {
    calls.at(-1)!.resolve({ looked, workspaceIds: looked === 0 ? [] : [7], traced: [] })
    await settled()
  }
  return { calls, made, loop, advance, answer }
}

test('after each step the store rests for as long as the step took', async () => {
  const { calls, loop, advance, answer } = setUp()
  loop.start()
  await advance(0)
  expect(calls.map(({ params }) => params.limit)).toEqual([500])
  await advance(40)
  await answer(500)
  await advance(39)
  expect(calls).toHaveLength(1)
  await advance(1)
  expect(calls).toHaveLength(2)
})

test('publishes during a step or the rest after it do not shorten the rest', async () => {
  const { calls, loop, advance, answer } = setUp()
  loop.start()
  await advance(0)
  loop.wake()
  await advance(40)
  await answer(500)
  loop.wake()
  await advance(39)
  loop.wake()
  await advance(0)
  expect(calls).toHaveLength(1)
  await advance(1)
  expect(calls).toHaveLength(2)
})

test('a publish ends the wait for work at once', async () => {
  const { calls, loop, advance, answer } = setUp()
  loop.start()
  await advance(40)
  await answer(500)
  await advance(40)
  await answer(0)
  await advance(1_000)
  expect(calls).toHaveLength(2)
  loop.wake()
  await advance(0)
  expect(calls).toHaveLength(3)
})

test('a publish during a step that finds nothing is followed by another step at once', async () => {
  const { calls, loop, advance, answer } = setUp()
  loop.start()
  await advance(0)
  loop.wake()
  await advance(40)
  await answer(0)
  await advance(0)
  expect(calls).toHaveLength(2)
})

test('onMade is called when deliveries were made, and only then', async () => {
  const { calls, made, loop, advance, answer } = setUp()
  loop.start()
  await advance(0)
  await answer(0)
  expect(made).toEqual([])
  loop.wake()
  await advance(0)
  expect(calls).toHaveLength(2)
  await answer(3)
  expect(made).toEqual([[7]])
})

test('traces get the number of deliveries of a step, and its duration', async () => {
  const heard: unknown[] = []
  const { calls, loop, advance } = setUp({ fannedOut: (...step) => void heard.push(step) })
  loop.start()
  await advance(0)
  await advance(40)
  calls[0]!.resolve({
    looked: 500,
    workspaceIds: [7],
    traced: [{ traceparent: 'of an event', deliveries: 3 }],
  })
  await settled()
  expect(heard).toEqual([['of an event', { workspaceId: 7, deliveries: 3, tookMs: 40 }]])
})
