import { afterEach, beforeEach, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/core/duration.ts'
import type { EventToPublish } from '../../src/engine/engine.ts'
import type { Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { openTestStore, type TestStore } from '../support/testStore.ts'
import { until } from '../support/until.ts'

const TYPE = 'version.approved'
const CROWD_TYPE = 'report.ready.v1'

let clock: ManualClock
let hanging: TestReceiver
let healthy: TestReceiver
/** Attempts at the hanging receiver that have ended without an answer. */
let timedOut: number
let store: TestStore
let service: TestEngine
let workspace: Workspace

beforeEach(async () => {
  clock = new ManualClock()
  ;[hanging, healthy] = await Promise.all([startReceiver(), startReceiver()])
  timedOut = 0
  hanging.answer((response) => {
    response.on('close', () => {
      timedOut++
    })
  })
  store = await openTestStore(clock)
  await startWith({ maxInFlight: 16 })
  workspace = await service.createWorkspace('content')
})

afterEach(async () => {
  // A stop waits for attempts in flight, and these clocks stand still.
  await Promise.all([hanging.close(), healthy.close()])
  await service.stop()
})

async function startWith({ maxInFlight }: { readonly maxInFlight: number }): Promise<void> {
  service = await startTestEngine({ clock, store, limits: { maxInFlight, maxInFlightPerWebhook: 4 } })
}

/** Only the engine: its leased deliveries wait in the store. */
async function restartWith(limits: { readonly maxInFlight: number }): Promise<void> {
  await service.engine.stop()
  await startWith(limits)
}

/** A workspace with this many webhooks whose receivers hang. */
async function crowdOf(count: number): Promise<Workspace> {
  const crowd = await service.createWorkspace('ads')
  for (let i = 0; i < count; i++) await service.createWebhook(crowd, hanging.url, [])
  return crowd
}

const eventsFor = (count: number, type: string): EventToPublish[] =>
  Array.from({ length: count }, (_, i) => ({
    type,
    broughtId: null,
    fingerprint: null,
    compose: (id: string) => JSON.stringify({ id, i }),
  }))

const arrived = (count: number) => until(clock, `${count} arrivals`, () => healthy.requests.length >= count)

it('a hanging receiver uses only its own slots, and others continue in the meantime', async () => {
  await service.createWebhook(workspace, hanging.url, [TYPE])
  await service.createWebhook(workspace, healthy.url, [TYPE])
  for (let i = 0; i < 10; i++) await service.publish(workspace)
  await until(clock, 'its places to be taken', () => hanging.requests.length === 4)
  for (let i = 0; i < 20; i++) await service.publish(workspace)
  await arrived(30)
  expect(hanging.requests).toHaveLength(4)
})

it('however many receivers hang, a proven fast one is not delayed', async () => {
  await service.createWebhook(workspace, healthy.url, [TYPE])
  await service.publish(workspace)
  await arrived(1)
  await until(clock, 'its record', () => service.recorded() === 1)
  const crowd = await crowdOf(40)
  await service.publish(crowd, { type: CROWD_TYPE })
  await until(clock, 'the slots of unknown ones to be taken', () => hanging.requests.length === 10)
  const before = clock.monotonic()
  for (let i = 0; i < 20; i++) await service.publish(workspace)
  await arrived(21)
  expect(clock.monotonic() - before).toBeLessThan(10 * SECOND_MS)
  expect(hanging.requests).toHaveLength(10)
})

it('after a start each webhook with a backlog is tried before any attempt at a hanging receiver times out', async () => {
  // It accepts publishes and sends nothing.
  await restartWith({ maxInFlight: 0 })
  const crowd = await crowdOf(30)
  await service.createWebhook(workspace, healthy.url, [TYPE])
  await service.engine.publish(crowd, eventsFor(200, CROWD_TYPE), null)
  await service.engine.publish(workspace, eventsFor(200, TYPE), null)
  expect([hanging, healthy].map(({ requests }) => requests.length)).toEqual([0, 0])
  await restartWith({ maxInFlight: 64 })
  await arrived(200)
  expect(timedOut).toBe(0)
})

it('a new webhook is sent to while hanging receivers use all the slots and the memory they may have', async () => {
  await restartWith({ maxInFlight: 32 })
  const crowd = await crowdOf(10)
  await service.engine.publish(crowd, eventsFor(10, CROWD_TYPE), null)
  await until(clock, 'the slots of the slow to be taken', () => hanging.requests.length === 16)
  // So long that the memory holds fewer than ten.
  const long = JSON.stringify('x'.repeat(4_000_000))
  await service.publish(crowd, { type: CROWD_TYPE, compose: () => long })
  for (let i = 0; i < 4; i++) await service.createWebhook(workspace, healthy.url, [TYPE])
  await service.publish(workspace)
  await arrived(4)
  expect([hanging.requests.length, timedOut]).toEqual([16, 0])
})

it('events without room in memory wait in the store and still arrive', async () => {
  const webhook = await service.createWebhook(workspace, healthy.url, [TYPE])
  for (let i = 0; i < 12; i++) await service.engine.publish(workspace, eventsFor(1000, TYPE), null)
  await arrived(12_000)
  await until(clock, 'the records', () => service.recorded() >= 12_000)
  expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(12_000)
  expect((await service.deliveriesOf(webhook)).every(({ status }) => status === 'delivered')).toBe(true)
}, 60_000)
