import { describe, expect, test, vi } from 'vitest'
import { DEFAULT_QUOTAS, type Quotas } from '../../src/core/quotas.ts'
import type { IdempotencyKey } from '../../src/engine/engine.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { PublishQuotas } from '../../src/engine/publish/publishQuotas.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startTestEngine } from '../support/testEngine.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Part = Awaited<ReturnType<StorageCalls['countPending']>>
type Asked = Parameters<StorageCalls['countPending']>[0]

interface Size {
  readonly events: number
  /** Of the first one; the others are empty. */
  readonly bytes: number
}

const eventsOf = (workspaceId: number, { events = 1, bytes = 1 }: Partial<Size>) =>
  Array.from({ length: events }, (_, i) => ({ workspaceId, body: 'x'.repeat(i === 0 ? bytes : 0) }))

function setUp(changes: Partial<Quotas>) {
  const clock = new ManualClock()
  const { calls, call } = openCalls<Asked, Part>()
  const log = recordedLog()
  const limits = { ...DEFAULT_QUOTAS, ...changes }
  const quotas = new PublishQuotas({
    quotas: limits,
    storage: storageOf({ countPending: call }),
    clock,
    failureLog: new FailureLog(clock, log),
  })
  const publish = (workspaceId: number, what: Partial<Size> & { deliveries?: number }) => {
    const events = eventsOf(workspaceId, what)
    expect(quotas.use(events)).toBeNull()
    quotas.addPending(workspaceId, what.deliveries ?? 0)
  }
  return { quotas, limits, publish, clock, calls, log }
}

test('events beyond the rate wait until the rate has made up for them, those of others do not', () => {
  const { quotas, publish, clock } = setUp({ eventsPerSecond: 100 })
  publish(1, { events: 1500 })
  publish(2, { events: 999 })
  expect(quotas.exceeded(1)).toEqual({
    outcome: 'quota_exceeded',
    quota: 'eventsPerSecond',
    used: 100,
    max: 100,
    retryAfterMs: 5010,
  })
  expect(quotas.exceeded(2)).toBeNull()
  expect(quotas.exceeded(3)).toBeNull()
  clock.advance(5010)
  expect(quotas.exceeded(1)).toBeNull()
})

test('another rate applies at once, also for a workspace that has used up the former one', () => {
  const { quotas, limits, publish, clock } = setUp({ eventsPerSecond: 1 })
  publish(1, { events: 1010 })
  expect(quotas.exceeded(1)).toMatchObject({ retryAfterMs: 1_001_000 })
  Object.assign(limits, { eventsPerSecond: 1000 })
  expect(quotas.exceeded(1)).toMatchObject({ max: 1000, retryAfterMs: 1001 })
  clock.advance(1001)
  expect(quotas.exceeded(1)).toBeNull()
})

test('bytes of a day count against their quota', () => {
  const { quotas, publish, clock } = setUp({ bytesPerDay: 86_400 })
  publish(1, { bytes: 86_399 })
  expect(quotas.exceeded(1)).toBeNull()
  publish(1, { bytes: 3601 })
  expect(quotas.exceeded(1)).toMatchObject({ quota: 'bytesPerDay', max: 86_400, retryAfterMs: 3_601_000 })
  clock.advance(3_601_000)
  expect(quotas.exceeded(1)).toBeNull()
})

test('calls in flight count: at most one batch exceeds the rate', () => {
  const { quotas } = setUp({ eventsPerSecond: 10 })
  const batches = Array.from({ length: 256 }, () => eventsOf(1, { events: 99 }))
  const accepted = batches.filter((events) => quotas.use(events) === null)
  expect(accepted).toHaveLength(2)
  expect(quotas.exceeded(1)).toMatchObject({ retryAfterMs: 9_900 })
  expect(quotas.use(eventsOf(2, {}))).toBeNull()
})

test('released quota may be used again', () => {
  const { quotas } = setUp({ eventsPerSecond: 10, bytesPerDay: 86_400 })
  const failed = eventsOf(1, { events: 300, bytes: 100_000 })
  expect(quotas.use(failed)).toBeNull()
  expect(quotas.exceeded(1)).not.toBeNull()
  quotas.release(failed)
  expect(quotas.exceeded(1)).toBeNull()
})

test('a release never exceeds a full quota', () => {
  const { quotas, clock } = setUp({ eventsPerSecond: 10 })
  const failed = eventsOf(1, { events: 100 })
  quotas.use(failed)
  clock.advance(60_000)
  quotas.release(failed)
  expect(quotas.use(eventsOf(1, { events: 100 }))).toBeNull()
  expect(quotas.exceeded(1)).not.toBeNull()
})

test('pending deliveries are counted once a hundredth of the quota was added, in parts and with pauses', async () => {
  const { quotas, publish, clock, calls } = setUp({ pendingDeliveries: 1000 })
  publish(7, { deliveries: 9 })
  expect(calls).toHaveLength(0)
  publish(7, { deliveries: 1 })
  await settled()
  expect(calls.map(({ params }) => params)).toEqual([{ workspaceId: 7, from: null }])
  clock.advance(3)
  calls[0]!.resolve({ pending: 600, next: [5] })
  await settled()
  expect(calls).toHaveLength(1)
  clock.advance(60)
  await settled()
  expect(calls[1]!.params).toEqual({ workspaceId: 7, from: [5] })
  publish(7, { deliveries: 4 })
  calls[1]!.resolve({ pending: 395, next: null })
  await settled()
  expect(quotas.exceeded(7)).toBeNull()
  publish(7, { deliveries: 1 })
  expect(quotas.exceeded(7)).toMatchObject({ quota: 'pendingDeliveries', used: 1000, max: 1000 })
})

test('a count stops at the quota', async () => {
  const { quotas, publish, calls } = setUp({ pendingDeliveries: 100 })
  publish(1, { deliveries: 1 })
  await settled()
  calls[0]!.resolve({ pending: 100, next: [9] })
  await settled()
  expect(calls).toHaveLength(1)
  expect(quotas.exceeded(1)).toMatchObject({ used: 100 })
})

test('a workspace beyond the quota is counted again, a second after the last count at the earliest', async () => {
  const { quotas, publish, clock, calls } = setUp({ pendingDeliveries: 100 })
  publish(1, { deliveries: 200 })
  await settled()
  calls[0]!.resolve({ pending: 150, next: null })
  await settled()
  expect(quotas.exceeded(1)).not.toBeNull()
  clock.advance(999)
  expect(quotas.exceeded(1)).not.toBeNull()
  await settled()
  expect(calls).toHaveLength(1)
  clock.advance(1)
  expect(quotas.exceeded(1)).not.toBeNull()
  await settled()
  calls[1]!.resolve({ pending: 99, next: null })
  await settled()
  expect(quotas.exceeded(1)).toBeNull()
})

test('counts of workspaces take turns, one step at a time and each with its pause', async () => {
  const { publish, clock, calls } = setUp({ pendingDeliveries: 1000 })
  const asked = () => calls.map(({ params }) => `${params.workspaceId} from ${params.from ?? 'start'}`)
  publish(1, { deliveries: 10 })
  publish(2, { deliveries: 10 })
  publish(3, { deliveries: 10 })
  await settled()
  expect(asked()).toEqual(['1 from start'])
  const answer = async (call: number, part: Part) => {
    clock.advance(5)
    calls[call]!.resolve(part)
    await settled()
    clock.advance(99)
    await settled()
    expect(calls).toHaveLength(call + 1)
    clock.advance(1)
    await settled()
  }
  await answer(0, { pending: 100, next: [7] })
  await answer(1, { pending: 50, next: null })
  await answer(2, { pending: 100, next: [8] })
  await answer(3, { pending: 100, next: null })
  await answer(4, { pending: 100, next: null })
  expect(asked()).toEqual(['1 from start', '2 from start', '3 from start', '1 from 7', '3 from 8'])
})

test('a failed count rejects no accepted workspace, and is retried', async () => {
  const { quotas, publish, clock, calls, log } = setUp({ pendingDeliveries: 1000 })
  publish(1, { deliveries: 10 })
  await settled()
  calls[0]!.reject(away())
  await settled()
  expect(quotas.exceeded(1)).toBeNull()
  expect(log.lines.map(({ message }) => message)).toEqual(['count of pending deliveries failed; retrying'])
  clock.advance(1000)
  publish(1, {})
  await settled()
  expect(calls).toHaveLength(2)
})

test('a stop ends a count after its step', async () => {
  const { quotas, publish, calls } = setUp({ pendingDeliveries: 1000 })
  publish(1, { deliveries: 10 })
  await settled()
  const stopped = quotas.stop()
  calls[0]!.resolve({ pending: 5, next: null })
  await stopped
  publish(1, { deliveries: 500 })
  await settled()
  expect(calls).toHaveLength(1)
})

describe('an engine', () => {
  async function start() {
    const clock = new ManualClock()
    // 100 events at once.
    const { engine, storage, createWorkspace, stop } = await startTestEngine({
      clock,
      quotas: { eventsPerSecond: 10 },
    })
    const workspace = await createWorkspace('content')
    const publish = async (
      count: number,
      {
        id = null,
        said = 1,
        idempotency = null,
      }: { id?: string | null; said?: number; idempotency?: IdempotencyKey | null } = {},
    ) => {
      const events = Array.from({ length: count }, (_, i) => ({
        type: 'version.approved',
        broughtId: id === null ? null : `${id}-${i}`,
        fingerprint: id === null ? null : new Uint8Array(32).fill(said),
        compose: (eventId: string) => JSON.stringify({ id: eventId }),
      }))
      return (await engine.publish(workspace, events, idempotency)).outcome
    }
    const failNext = () => vi.spyOn(storage.sending, 'publish').mockRejectedValueOnce(away())
    return { clock, publish, failNext, stop }
  }

  test('accepts one batch beyond the rate however many are published at once', async () => {
    const { publish, stop } = await start()
    const outcomes = await Promise.all(Array.from({ length: 256 }, () => publish(60)))
    expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(2)
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'quota_exceeded']))
    await stop()
  })

  test('counts repeats and conflicts, which cost as much', async () => {
    const { clock, publish, stop } = await start()
    const idempotency = { scope: 'key_1', key: 'k', fingerprint: Uint8Array.of(1), since: clock.now() - 1000 }
    const outcomes = [
      await publish(20, { id: 'own' }),
      await publish(20, { id: 'own' }),
      await publish(20, { id: 'own', said: 2 }),
      await publish(20, { idempotency }),
      await publish(20, { idempotency }),
      await publish(1),
    ]
    expect(outcomes).toEqual([
      'accepted',
      'accepted',
      'id_conflict',
      'accepted',
      'accepted',
      'quota_exceeded',
    ])
    await stop()
  })

  test('does not count publishes that the store failed to answer', async () => {
    const { publish, stop, failNext } = await start()
    failNext()
    await expect(publish(100)).rejects.toThrow()
    expect([await publish(100), await publish(1)]).toEqual(['accepted', 'quota_exceeded'])
    await stop()
  })
})
