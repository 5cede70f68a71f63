import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import type { Attempt, DeliveryRecord } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { passTime } from '../support/passTime.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

const CONTENT_WAITS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  9 * HOUR_MS,
]
const ADS_WAITS = [30, 90, 270, 810, 2430, 7200, 21_600].map((seconds) => seconds * SECOND_MS)
/** Time that the clock advances while sockets and the store work. */
const SLACK_MS = 2 * SECOND_MS

let clock: ManualClock
let service: TestEngine
let failing: TestReceiver
let random: number

beforeEach(async () => {
  clock = new ManualClock()
  random = 0.5
  service = await startTestEngine({ clock, random: () => random })
  failing = await startReceiver(500)
})

afterEach(async () => {
  await service.stop()
  await failing.close()
})

async function nextAttempt(receiver: TestReceiver): Promise<void> {
  const [seen, recorded] = [receiver.requests.length, service.recorded()]
  await until(clock, `request ${seen + 1}`, () => receiver.requests.length > seen)
  await until(clock, 'the record of it', () => service.recorded() > recorded)
}

function expectWaits(delivery: DeliveryRecord, waits: readonly number[], jitter: number): void {
  const starts = delivery.attempts.map((attempt: Attempt) => attempt.startedAt)
  waits.forEach((wait, i) => {
    const waited = starts[i + 1]! - starts[i]! - delivery.attempts[i]!.durationMs
    expect(waited, `wait ${i + 1}`).toBeGreaterThanOrEqual(wait * jitter - 5)
    expect(waited, `wait ${i + 1}`).toBeLessThan(wait * jitter + SLACK_MS)
  })
}

async function failThroughSchedule(current: () => Promise<DeliveryRecord>, attempts: number): Promise<void> {
  for (let made = 1; made < attempts; made++) {
    const { nextAttemptAt } = await current()
    clock.advance(nextAttemptAt! - clock.now() - 1)
    await nextAttempt(failing)
  }
}

describe.each([
  ['shortest', 0, 0.9],
  ['middle', 0.5, 1],
  ['longest', 0.999_999, 1.1],
])('a whole day of content with the %s waits', (_, draw, jitter) => {
  it('makes 8 attempts at the documented times', async () => {
    random = draw
    const workspace = await service.createWorkspace('content')
    const webhook = await service.createWebhook(workspace, failing.url, ['version.approved'])
    const eventId = await service.publish(workspace)
    await nextAttempt(failing)
    await failThroughSchedule(async () => (await service.deliveriesOf(webhook))[0]!, 8)

    const [delivery] = await service.deliveriesOf(webhook)
    expect(delivery).toMatchObject({ status: 'failed', nextAttemptAt: null })
    expect(delivery!.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expectWaits(delivery!, CONTENT_WAITS, jitter)
    expect(new Set(failing.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(failing.requests.map(({ body }) => body.toString('hex'))).size).toBe(1)
    clock.advance(48 * HOUR_MS)
    const other = await startReceiver()
    await service.createWebhook(workspace, other.url, ['version.approved'])
    await service.publish(workspace)
    await until(clock, 'a delivery two days later', () => other.requests.length === 1)
    expect(failing.requests.filter(({ headers }) => headers['webhook-id'] === eventId)).toHaveLength(8)
    await other.close()
  })
})

it('a content webhook that fails for 24 h is warned about at 12 h, then disabled, with all pending deliveries canceled', {
  timeout: 60_000,
}, async () => {
  const workspace = await service.createWorkspace('content')
  const healthy = await startReceiver()
  const webhook = await service.createWebhook(workspace, failing.url, ['version.approved'])
  const other = await service.createWebhook(workspace, healthy.url, ['version.approved'])
  const startedAt = clock.now()
  await service.publish(workspace)
  await nextAttempt(failing)
  const first = async () => (await service.deliveriesOf(webhook)).at(-1)!

  // Half a day in, another event is published; it is still pending when the first one's last attempt fails.
  const steps = [2, 3, 4, 5, 6, 7]
  for (const _ of steps) {
    const { nextAttemptAt } = await first()
    await passTime(clock, service.storage, nextAttemptAt! - clock.now() - 1)
    await nextAttempt(failing)
  }
  const warnings = await service.storage.listNotifications({ limit: 10, before: null })
  expect(warnings.map(({ kind }) => kind)).toEqual(['webhook_failing'])
  await service.publish(workspace)
  await nextAttempt(failing)
  expect(
    await service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId }),
  ).toMatchObject({
    status: 'on',
  })

  // The second event's early retries come before the first one's eighth attempt.
  while ((await first()).status === 'pending') {
    const pending = (await service.deliveriesOf(webhook)).flatMap((delivery) => delivery.nextAttemptAt ?? [])
    await passTime(clock, service.storage, Math.min(...pending) - clock.now() - 1)
    await nextAttempt(failing)
  }
  expect(clock.now() - startedAt).toBeGreaterThan(24 * HOUR_MS)
  const [second, finished] = await service.deliveriesOf(webhook)
  expect(finished).toMatchObject({ status: 'failed' })
  expect(second).toMatchObject({ status: 'canceled', nextAttemptAt: null })
  const off = await service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId })
  expect(off).toMatchObject({
    status: 'off',
    offReason: 'failing',
    failingSince: finished!.attempts[0]!.startedAt,
  })
  const [notification] = await service.storage.listNotifications({ limit: 10, before: null })
  expect(notification).toMatchObject({ kind: 'webhook_off', webhookId: webhook.id })
  expect(JSON.stringify(notification!.data)).toContain('http_status')

  const requests = failing.requests.length
  clock.advance(24 * HOUR_MS)
  const healthyBefore = healthy.requests.length
  await service.publish(workspace)
  await until(clock, 'the healthy one', () => healthy.requests.length > healthyBefore)
  expect(failing.requests).toHaveLength(requests)
  expect(await service.deliveriesOf(webhook)).toHaveLength(2)
  expect(await service.deliveriesOf(other)).toHaveLength(3)

  await service.engine.updateWebhook(workspace, webhook, { enabled: true }, null, BY)
  failing.answer((response) => response.end())
  await service.publish(workspace)
  await until(clock, 'the first event since it is on again', () => failing.requests.length > requests)
  await until(clock, 'its record', () => service.recorded() >= requests + healthy.requests.length)
  const again = await service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId })
  expect(again).toMatchObject({ status: 'on', offReason: null, failingSince: null })
  await healthy.close()
})

it('an ads delivery is dead after 8 attempts with exponential waits, and a replay makes 8 more', async () => {
  const workspace = await service.createWorkspace('ads')
  const webhook = await service.createWebhook(workspace, failing.url, [])
  await service.publish(workspace, { type: 'report.ready.v1' })
  await nextAttempt(failing)
  const current = async () => (await service.deliveriesOf(webhook))[0]!
  await failThroughSchedule(current, 8)
  const dead = await current()
  expect(dead).toMatchObject({ status: 'dead', nextAttemptAt: null })
  expectWaits(dead, ADS_WAITS, 1)
  expect(
    await service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId }),
  ).toMatchObject({
    status: 'on',
  })

  expect(await service.engine.replay(workspace, dead, BY)).toMatchObject({ outcome: 'accepted' })
  expect(await service.engine.replay(workspace, dead, BY)).toMatchObject({
    outcome: 'wrong_status',
    status: 'pending',
  })
  await nextAttempt(failing)
  await failThroughSchedule(current, 8)
  const deadAgain = await current()
  expect(deadAgain).toMatchObject({ status: 'dead' })
  expect(deadAgain.attempts.map(({ trigger }) => trigger).slice(7, 10)).toEqual([
    'schedule',
    'replay',
    'schedule',
  ])
  expect(deadAgain.attempts).toHaveLength(16)

  failing.answer((response) => response.end())
  await service.engine.replay(workspace, deadAgain, BY)
  await nextAttempt(failing)
  expect(await current()).toMatchObject({ status: 'delivered' })
  expect(new Set(failing.requests.map(({ body }) => body.toString('hex'))).size).toBe(1)
  expect(new Set(failing.requests.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
})
