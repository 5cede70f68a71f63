import { afterEach, beforeEach, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/core/duration.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

const TYPE = 'version.approved'

let clock: ManualClock
let hanging: TestReceiver
let healthy: TestReceiver
let service: TestEngine
let workspace: Workspace

beforeEach(async () => {
  clock = new ManualClock()
  ;[hanging, healthy] = await Promise.all([startReceiver(), startReceiver()])
  hanging.answer(() => {})
  service = await startTestEngine({ clock, limits: { maxInFlight: 8, maxInFlightPerWebhook: 4 } })
  workspace = await service.createWorkspace('content')
})

afterEach(async () => {
  // A stop waits for attempts in flight, and these clocks stand still.
  await Promise.all([hanging.close(), healthy.close()])
  await service.stop()
})

const arrived = (count: number) => until(clock, `${count} arrivals`, () => healthy.requests.length >= count)

it('a receiver that hangs holds no more than its own places, and others go on meanwhile', async () => {
  await service.createWebhook(workspace, hanging.url, [TYPE])
  await service.createWebhook(workspace, healthy.url, [TYPE])
  for (let i = 0; i < 30; i++) await service.publish(workspace)
  await arrived(30)
  expect(hanging.requests).toHaveLength(4)
})

it('receivers that hang for long keep at most half of all places, however many they are', async () => {
  for (let i = 0; i < 6; i++) await service.createWebhook(workspace, hanging.url, [TYPE])
  for (let i = 0; i < 10; i++) await service.publish(workspace)
  await until(clock, 'all places to be taken', () => hanging.requests.length === 8)
  await service.createWebhook(workspace, healthy.url, [TYPE])
  await service.publish(workspace)
  // They were not known to be slow; from the first timeout on they are.
  clock.advance(15 * SECOND_MS)
  await arrived(1)
  const before = hanging.requests.length
  for (let i = 0; i < 20; i++) await service.publish(workspace)
  await arrived(21)
  expect(hanging.requests.length - before).toBeLessThanOrEqual(8)
})

it('events that have no room in memory wait in the store and arrive all the same', async () => {
  const webhook = await service.createWebhook(workspace, healthy.url, [TYPE])
  const batch = Array.from({ length: 1000 }, (_, i) => ({
    type: TYPE,
    broughtId: null,
    fingerprint: '',
    compose: (id: string) => JSON.stringify({ id, i }),
  }))
  for (let i = 0; i < 12; i++) await service.engine.publish(workspace, batch)
  await arrived(12_000)
  await until(clock, 'the records', () => service.recorded() >= 12_000)
  expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(12_000)
  expect((await service.deliveriesOf(webhook)).every(({ status }) => status === 'delivered')).toBe(true)
}, 60_000)
