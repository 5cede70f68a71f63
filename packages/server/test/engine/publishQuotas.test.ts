import { expect, test } from 'vitest'
import { DEFAULT_QUOTAS, type Quotas } from '../../src/core/quotas.ts'
import { PublishQuotas } from '../../src/engine/publishQuotas.ts'
import { Troubles } from '../../src/engine/troubles.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

type Part = Awaited<ReturnType<Storage['countPending']>>
type Asked = Parameters<Storage['countPending']>[0]

function setUp(changes: Partial<Quotas>) {
  const clock = new ManualClock()
  const { calls, verb } = openCalls<Asked, Part>()
  const log = recordedLog()
  const quotas = new PublishQuotas({
    quotas: { ...DEFAULT_QUOTAS, ...changes },
    storage: storageOf({ countPending: verb }),
    clock,
    troubles: new Troubles(clock, log),
  })
  const publish = (
    workspaceId: number,
    what: Partial<{ events: number; bytes: number; deliveries: number }>,
  ) => quotas.published(workspaceId, { events: 1, bytes: 1, deliveries: 0, ...what })
  return { quotas, publish, clock, calls, log }
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

test('bytes of a day are held against their quota', () => {
  const { quotas, publish, clock } = setUp({ bytesPerDay: 86_400 })
  publish(1, { bytes: 86_399 })
  expect(quotas.exceeded(1)).toBeNull()
  publish(1, { bytes: 3601 })
  expect(quotas.exceeded(1)).toMatchObject({ quota: 'bytesPerDay', max: 86_400, retryAfterMs: 3_601_000 })
  clock.advance(3_601_000)
  expect(quotas.exceeded(1)).toBeNull()
})

test('pending deliveries are counted once a hundredth of the quota was added, in parts and with rests', async () => {
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

test('a count goes no further than the quota', async () => {
  const { quotas, publish, calls } = setUp({ pendingDeliveries: 100 })
  publish(1, { deliveries: 1 })
  await settled()
  calls[0]!.resolve({ pending: 100, next: [9] })
  await settled()
  expect(calls).toHaveLength(1)
  expect(quotas.exceeded(1)).toMatchObject({ used: 100 })
})

test('whoever is beyond the quota is counted again, a second after the last count at the earliest', async () => {
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

test('a count that fails keeps nobody out who was let in, and is tried again', async () => {
  const { quotas, publish, clock, calls, log } = setUp({ pendingDeliveries: 1000 })
  publish(1, { deliveries: 10 })
  await settled()
  calls[0]!.reject(away())
  await settled()
  expect(quotas.exceeded(1)).toBeNull()
  expect(log.lines.map(({ message }) => message)).toEqual([
    'count of pending deliveries failed; trying again',
  ])
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
