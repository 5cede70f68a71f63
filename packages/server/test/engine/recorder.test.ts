import { describe, expect, test } from 'vitest'
import type { HealthPolicy } from '../../src/core/health.ts'
import { Recorder } from '../../src/engine/attempt/recorder.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { AttemptToRecord, RecordResult, Storage } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Params = Parameters<Storage['recordAttempts']>[0]

const NOTHING: RecordResult = { lost: [], switchedOff: [], notifications: [] }
const strict: HealthPolicy = { goneSwitchesOff: true, switchOffAfterMs: 1, warnAfterMs: 1 }
const lenient: HealthPolicy = { goneSwitchesOff: false, switchOffAfterMs: null, warnAfterMs: null }

function attempt(deliveryId: number, healthPolicy = 0): AttemptToRecord {
  return {
    deliveryId,
    createdAt: 0,
    lease: 1,
    webhookId: 1,
    attempt: {
      number: 1,
      trigger: 'schedule',
      webhookVersion: 1,
      startedAt: 0,
      durationMs: 1,
      statusCode: 200,
      errorCode: null,
      errorMessage: null,
      contentType: null,
      responseBody: null,
    },
    next: { status: 'delivered', nextAttemptAt: null },
    signal: 'success',
    healthPolicy,
  }
}

function setUp() {
  const clock = new ManualClock()
  const log = recordedLog()
  const { calls, verb } = openCalls<Params, RecordResult>()
  const recorded: number[][] = []
  let nodeId = 1
  const recorder = new Recorder({
    storage: storageOf({ recordAttempts: verb }),
    clock,
    failureLog: new FailureLog(clock, log),
    clockWatch: () => ({ steadySince: null, failingFrom: null }),
    nodeId: () => nodeId,
    onRecorded: (_, attempts) => recorded.push(attempts.map(({ deliveryId }) => deliveryId)),
  })
  const addMany = (from: number, count: number) => {
    for (let i = 0; i < count; i++) recorder.add(attempt(from + i))
  }
  const moveToNode = (id: number) => {
    nodeId = id
  }
  return { clock, log, calls, recorded, recorder, addMany, moveToNode }
}

const idsOf = ({ params }: { readonly params: Params }) => params.results.map(({ deliveryId }) => deliveryId)

describe('the recorder', () => {
  test('writes what comes within 20 ms in one call', async () => {
    const { clock, calls, recorded, recorder } = setUp()
    recorder.add(attempt(1))
    clock.advance(19)
    recorder.add(attempt(2))
    expect(calls).toHaveLength(0)
    clock.advance(1)
    expect(calls.map(idsOf)).toEqual([[1, 2]])
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(recorded).toEqual([[1, 2]])
    expect(clock.pending).toBe(0)
  })

  test('writes 512 results without waiting', () => {
    const { calls, addMany } = setUp()
    addMany(1, 512)
    expect(calls.map((call) => idsOf(call).length)).toEqual([512])
  })

  test('gathers what comes during a write into the next one, in order', async () => {
    const { clock, calls, recorder, addMany } = setUp()
    addMany(1, 512)
    addMany(513, 600)
    expect(calls).toHaveLength(1)
    expect(recorder.backlog).toBe(1112)
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(idsOf(calls[1]!)).toEqual(Array.from({ length: 600 }, (_, i) => 513 + i))
    recorder.add(attempt(2000))
    calls[1]!.resolve(NOTHING)
    await settled()
    clock.advance(20)
    expect(idsOf(calls[2]!)).toEqual([2000])
  })

  test('names each health policy once', () => {
    const { clock, calls, recorder } = setUp()
    recorder.add(attempt(1, recorder.numberOf(strict)))
    recorder.add(attempt(2, recorder.numberOf(lenient)))
    recorder.add(attempt(3, recorder.numberOf(strict)))
    clock.advance(20)
    expect(calls[0]!.params.healthPolicies).toEqual([strict, lenient])
    expect(calls[0]!.params.results.map(({ healthPolicy }) => healthPolicy)).toEqual([0, 1, 0])
  })

  test('records under the lease that holds at the time of writing', () => {
    const { clock, calls, recorder, moveToNode } = setUp()
    recorder.add(attempt(1))
    moveToNode(7)
    clock.advance(20)
    expect(calls[0]!.params).toMatchObject({ nodeId: 7, now: clock.now() })
  })
})

describe('while the store is away, the recorder', () => {
  test('keeps every result, in order, and writes all of them once it is back', async () => {
    const { clock, calls, recorded, recorder, log } = setUp()
    recorder.add(attempt(1))
    clock.advance(20)
    calls[0]!.reject(away())
    await settled()
    recorder.add(attempt(2))
    expect([recorder.backlog, log.lines.length]).toEqual([2, 1])
    clock.advance(250)
    expect(idsOf(calls[1]!)).toEqual([1, 2])
    calls[1]!.resolve(NOTHING)
    await settled()
    expect([recorder.backlog, recorded]).toEqual([0, [[1, 2]]])
  })

  test('tries again after its pause and not with every further result', async () => {
    const { clock, calls, addMany } = setUp()
    addMany(1, 512)
    calls[0]!.reject(away())
    await settled()
    addMany(513, 1000)
    expect(calls).toHaveLength(1)
    clock.advance(249)
    expect(calls).toHaveLength(1)
    clock.advance(1)
    expect(idsOf(calls[1]!)).toHaveLength(1512)
  })

  test('counts what is being written as unwritten', async () => {
    const { calls, recorder, addMany } = setUp()
    addMany(1, 512)
    expect(recorder.backlog).toBe(512)
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(recorder.backlog).toBe(0)
  })
})

describe('drain', () => {
  test('writes everything, also what comes meanwhile', async () => {
    const { calls, recorder } = setUp()
    recorder.add(attempt(1))
    const drained = recorder.drain()
    expect(calls.map(idsOf)).toEqual([[1]])
    recorder.add(attempt(2))
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(calls.map(idsOf)).toEqual([[1], [2]])
    calls[1]!.resolve(NOTHING)
    expect(await drained).toBe(true)
  })

  test('joins a write under way and leaves no timer', async () => {
    const { clock, calls, recorder, addMany } = setUp()
    addMany(1, 512)
    const drained = recorder.drain()
    expect(calls).toHaveLength(1)
    calls[0]!.resolve(NOTHING)
    expect([await drained, clock.pending]).toEqual([true, 0])
  })

  test('gives up when the store takes nothing, and says so', async () => {
    const { calls, recorder } = setUp()
    recorder.add(attempt(1))
    const drained = recorder.drain()
    calls[0]!.reject(away())
    expect([await drained, recorder.backlog]).toEqual([false, 1])
  })

  test('of nothing is done at once', async () => {
    expect(await setUp().recorder.drain()).toBe(true)
  })
})
