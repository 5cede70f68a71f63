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

it('however many receivers hang, one that has proven prompt is not delayed', async () => {
  await service.createWebhook(workspace, healthy.url, [TYPE])
  await service.publish(workspace)
  await arrived(1)
  await until(clock, 'its record', () => service.recorded() === 1)
  const crowd = await service.createWorkspace('ads')
  for (let i = 0; i < 40; i++) await service.createWebhook(crowd, hanging.url, [])
  await service.publish(crowd, { type: 'report.ready.v1' })
  await until(clock, 'the places of those not tried yet to be taken', () => hanging.requests.length === 4)
  const before = clock.monotonic()
  for (let i = 0; i < 20; i++) await service.publish(workspace)
  await arrived(21)
  expect(clock.monotonic() - before).toBeLessThan(10 * SECOND_MS)
  expect(hanging.requests).toHaveLength(4)
})

it('events that have no room in memory wait in the store and arrive all the same', async () => {
  const webhook = await service.createWebhook(workspace, healthy.url, [TYPE])
  const batch = Array.from({ length: 1000 }, (_, i) => ({
    type: TYPE,
    broughtId: null,
    fingerprint: '',
    compose: (id: string) => JSON.stringify({ id, i }),
  }))
  for (let i = 0; i < 12; i++) await service.engine.publish(workspace, batch, null)
  await arrived(12_000)
  await until(clock, 'the records', () => service.recorded() >= 12_000)
  expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(12_000)
  expect((await service.deliveriesOf(webhook)).every(({ status }) => status === 'delivered')).toBe(true)
}, 60_000)
