import { describe, expect, test } from 'vitest'
import type { HealthPolicy } from '../../src/core/health.ts'
import { Recorder } from '../../src/engine/attempt/recorder.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import type { AttemptToRecord, RecordResult } from '../../src/storage/storage.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'
import { TestLanes } from './lanesFixture.ts'

type Params = Parameters<StorageCalls['recordAttempts']>[0]

const NOTHING: RecordResult = { lost: [], disabled: [], notifications: [] }
const strict: HealthPolicy = { goneDisables: true, disableAfterMs: 1, warnAfterMs: 1, early: null }
const lenient: HealthPolicy = {
  goneDisables: false,
  disableAfterMs: null,
  warnAfterMs: null,
  early: null,
}

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
      cause: null,
      contentType: null,
      responseBody: null,
    },
    next: { status: 'delivered', nextAttemptAt: null },
    signal: 'success',
    healthPolicy,
    replayId: null,
  }
}

function setUp() {
  const lanes = new TestLanes({ maxInFlight: 10, maxInFlightPerWebhook: 10 })
  const { clock } = lanes
  const log = recordedLog()
  const { calls, call } = openCalls<Params, RecordResult>()
  const lease = { nodeId: 1 }
  const followed = {
    wakes: [] as (number | undefined)[],
    changed: [] as number[],
    recorded: [] as number[],
    notified: 0,
    retried: 0,
    ready: 0,
  }
  lanes.onReady(() => followed.ready++)
  const recorder = new Recorder({
    storage: storageOf({ recordAttempts: call }),
    clock,
    log,
    failureLog: new FailureLog(clock, log),
    clockWatch: { steadySince: null, failingFrom: null },
    openNotes: { outageNotBefore: null },
    lease,
    lanes,
    claimer: { wake: (at) => void followed.wakes.push(at) },
    webhookChanges: { changed: (webhookId) => void followed.changed.push(webhookId) },
    observer: { recorded: (attempts) => followed.recorded.push(attempts) },
    onNotified: () => followed.notified++,
    onRetried: () => followed.retried++,
  })
  const addMany = (from: number, count: number) => {
    for (let i = 0; i < count; i++) recorder.add(attempt(from + i))
  }
  return { lanes, clock, log, calls, followed, recorder, addMany, lease }
}

const idsOf = ({ params }: { readonly params: Params }) => params.results.map(({ deliveryId }) => deliveryId)

describe('the recorder', () => {
  test('writes results within 20 ms in one call', async () => {
    const { clock, calls, followed, recorder } = setUp()
    recorder.add(attempt(1))
    clock.advance(19)
    recorder.add(attempt(2))
    expect(calls).toHaveLength(0)
    clock.advance(1)
    expect(calls.map(idsOf)).toEqual([[1, 2]])
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(followed.recorded).toEqual([2])
    expect(clock.pending).toBe(0)
  })

  test('writes 512 results without waiting', () => {
    const { calls, addMany } = setUp()
    addMany(1, 512)
    expect(calls.map((call) => idsOf(call).length)).toEqual([512])
  })

  test('collects results during a write for the next one, in order', async () => {
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

  test('records under the lease that is valid at the time of writing', () => {
    const { clock, calls, recorder, lease } = setUp()
    recorder.add(attempt(1))
    lease.nodeId = 7
    clock.advance(20)
    expect(calls[0]!.params).toMatchObject({ nodeId: 7, now: clock.now() })
  })
})

describe('while the store is away, the recorder', () => {
  test('keeps every result, in order, and writes all of them once it is back', async () => {
    const { clock, calls, followed, recorder, log } = setUp()
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
    expect([recorder.backlog, followed.recorded]).toEqual([0, [2]])
  })

  test('retries after its pause and not with every further result', async () => {
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

  test('counts results being written as unwritten', async () => {
    const { calls, recorder, addMany } = setUp()
    addMany(1, 512)
    expect(recorder.backlog).toBe(512)
    calls[0]!.resolve(NOTHING)
    await settled()
    expect(recorder.backlog).toBe(0)
  })
})

describe('drain', () => {
  test('writes everything, also results that arrive in the meantime', async () => {
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

  test('joins a running write and leaves no timer', async () => {
    const { clock, calls, recorder, addMany } = setUp()
    addMany(1, 512)
    const drained = recorder.drain()
    expect(calls).toHaveLength(1)
    calls[0]!.resolve(NOTHING)
    expect([await drained, clock.pending]).toEqual([true, 0])
  })

  test('gives up when the store accepts nothing, and reports it', async () => {
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

describe('a recorded result', () => {
  const recordedWith = async (attempts: readonly AttemptToRecord[], result: Partial<RecordResult>) => {
    const it = setUp()
    for (const webhookId of [1, 2]) it.lanes.block(it.lanes.of({ webhookId, workspaceId: 1 }), 'disabling')
    for (const one of attempts) it.recorder.add(one)
    it.clock.advance(20)
    expect(it.lanes.find(1)!.blocked).toBe(true)
    it.calls[0]!.resolve({ ...NOTHING, ...result })
    await settled()
    return it
  }
  const retryAt = (nextAttemptAt: number): AttemptToRecord => ({
    ...attempt(1),
    next: { status: 'pending', nextAttemptAt },
    signal: 'failure',
  })

  test('has its earliest retry claimed in time, and lets more be sent', async () => {
    const { followed } = await recordedWith([retryAt(9_000), retryAt(7_000), attempt(3)], {})
    expect(followed).toMatchObject({ wakes: [7_000], recorded: [3], ready: 1, notified: 0 })
  })

  test('ends the wait for the record of a 410', async () => {
    const { lanes } = await recordedWith([{ ...attempt(1), signal: 'gone' }], {})
    expect([1, 2].map((id) => lanes.find(id)!.blocked)).toEqual([false, true])
  })

  test('reports webhooks that it disabled', async () => {
    const { followed, log } = await recordedWith([retryAt(1)], {
      disabled: [{ webhookId: 2, reason: 'gone' }],
      lost: [5],
    })
    expect(followed.changed).toEqual([2])
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message: 'attempts ended after their lease; another node has taken over their deliveries',
      },
    ])
  })
})
