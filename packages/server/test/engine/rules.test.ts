import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { typeOf } from '../../src/core/catalog.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { PUBLIC_ONLY } from '../../src/core/targets/index.ts'
import { contentService } from '../../src/profiles/builtIn.ts'
import type { Webhook, Workspace } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

const TEST = typeOf(contentService().catalog, 'webhook.test')!

const TYPE = 'version.approved'

let clock: ManualClock
let receiver: TestReceiver
let service: TestEngine
let workspace: Workspace

beforeEach(async () => {
  // Verifying libraries use the real time.
  clock = new ManualClock(Date.now())
  receiver = await startReceiver()
  await start()
})

afterEach(async () => {
  await service.stop()
  await receiver.close()
})

async function start(params: Partial<Parameters<typeof startTestEngine>[0]> = {}): Promise<void> {
  service = await startTestEngine({ clock, ...params })
  workspace = await service.createWorkspace('content')
}

async function restart(params: Partial<Parameters<typeof startTestEngine>[0]>): Promise<void> {
  await service.stop()
  await start(params)
}

const requests = (count: number) => until(clock, `request ${count}`, () => receiver.requests.length >= count)
const records = (count: number) => until(clock, `record ${count}`, () => service.recorded() >= count)
const reload = (webhook: Webhook) =>
  service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId })

/** Holds every request; each call of the returned function releases one. */
function holdRequests(status: number): () => void {
  const held: ServerResponse[] = []
  receiver.answer((response) => void held.push(response))
  return () => void held.shift()!.writeHead(status).end()
}

it('410 ends that delivery, disables the webhook at once and cancels waiting deliveries, in memory and in the store', async () => {
  await restart({ limits: { maxInFlight: 8, maxInFlightPerWebhook: 1 } })
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const release = holdRequests(410)
  for (let i = 0; i < 3; i++) await service.publish(workspace)
  await requests(1)
  release()
  await records(1)
  const statuses = (await service.deliveriesOf(webhook)).map(({ status }) => status)
  expect(statuses).toEqual(['canceled', 'canceled', 'failed'])
  expect(await reload(webhook)).toMatchObject({ status: 'off', offReason: 'gone' })
  // Its log line names the webhook and not the target, which may contain a token.
  const { fields } = service.complaints.find(({ message }) => message === 'webhook disabled')!
  expect(fields).toEqual({
    notification: 'webhook_off',
    webhook: webhook.publicId,
    reason: 'gone',
    failing_since: expect.any(Number),
  })
  await service.publish(workspace)
  clock.advance(DAY_MS)
  const probe = await startReceiver()
  await service.createWebhook(workspace, probe.url, [TYPE])
  await service.publish(workspace)
  await until(clock, 'a delivery a day later', () => probe.requests.length === 1)
  expect(receiver.requests).toHaveLength(1)
  expect(await service.deliveriesOf(webhook)).toHaveLength(3)
  await probe.close()
})

it('a 410 to an ads endpoint is a failure like any other', async () => {
  const ads = await service.createWorkspace('ads')
  const webhook = await service.createWebhook(ads, receiver.url, [])
  receiver.answer((response) => response.writeHead(410).end())
  await service.publish(ads, { type: 'report.ready.v1' })
  await records(1)
  expect((await service.deliveriesOf(webhook))[0]).toMatchObject({ status: 'pending' })
})

it('an attempt in flight when its webhook is disabled is recorded, and counts when it succeeds', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const release = holdRequests(204)
  await service.publish(workspace)
  await requests(1)
  await service.engine.updateWebhook(workspace, webhook, { enabled: false }, null, BY)
  expect((await service.deliveriesOf(webhook))[0]).toMatchObject({ status: 'canceled' })
  release()
  await records(1)
  expect((await service.deliveriesOf(webhook))[0]).toMatchObject({
    status: 'delivered',
    attempts: [{ number: 1 }],
  })
})

it.each([
  [
    'paused',
    (on: boolean, hook: Webhook) => service.engine.updateWebhook(workspace, hook, { paused: !on }, null, BY),
  ],
  ['in a suspended workspace', (on: boolean) => service.engine.suspendWorkspace(workspace, !on, BY)],
])(
  'while a webhook is %s its pending deliveries wait, new events skip it, and later it continues',
  async (_, set) => {
    const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
    receiver.answer((response) => response.writeHead(503).end())
    await service.publish(workspace)
    await records(1)
    await set(false, webhook)
    expect(await reload(webhook)).toMatchObject({ status: 'paused' })
    await service.publish(workspace)
    clock.advance(2 * HOUR_MS)
    await until(
      clock,
      'the lease to be renewed',
      () => clock.nextIn !== null && clock.nextIn < 10 * SECOND_MS,
    )
    expect(receiver.requests).toHaveLength(1)

    receiver.answer((response) => response.end())
    await set(true, webhook)
    await records(2)
    const deliveries = await service.deliveriesOf(webhook)
    expect(deliveries).toMatchObject([
      { status: 'delivered', attempts: [{ number: 1 }, { number: 2, trigger: 'schedule' }] },
    ])
  },
)

it('after a rotation both secrets sign for 24 h, then only the new one', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const rotated = await service.engine.rotateSecret(workspace, webhook, null, BY)
  await service.publish(workspace)
  await requests(1)
  const [during] = receiver.requests
  expect(during!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
  if (rotated?.outcome !== 'rotated') throw new Error('not rotated')
  for (const secret of [webhook.secret, rotated.shown.secret!]) {
    new Verifier(secret).verify(during!.body, during!.headers as Record<string, string>)
  }
  clock.advance(DAY_MS)
  await service.publish(workspace)
  await requests(2)
  expect(receiver.requests[1]!.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})

it('a redelivery sends the same id and bytes once, and is finished again when it fails', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  await service.publish(workspace)
  await records(1)
  const [delivery] = await service.deliveriesOf(webhook)
  receiver.answer((response) => response.writeHead(500).end())
  expect(await service.engine.redeliver(workspace, delivery!, BY)).toMatchObject({
    outcome: 'accepted',
    limit: { remaining: 9 },
  })
  expect(await service.engine.redeliver(workspace, delivery!, BY)).toMatchObject({
    outcome: 'wrong_status',
    status: 'pending',
  })
  await records(2)
  const [again] = await service.deliveriesOf(webhook)
  expect(again).toMatchObject({ status: 'failed', nextAttemptAt: null })
  expect(again!.attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'redeliver'])
  const [first, second] = receiver.requests
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  expect(second!.body.equals(first!.body)).toBe(true)

  await service.engine.updateWebhook(workspace, webhook, { paused: true }, null, BY)
  expect(await service.engine.redeliver(workspace, again!, BY)).toMatchObject({
    outcome: 'webhook_not_on',
    status: 'paused',
  })
})

it('tests and redeliveries share ten a minute in a workspace', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const sends = Array.from({ length: 12 }, () => service.engine.sendTest(workspace, webhook, TEST, BY))
  const outcomes = (await Promise.all(sends)).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(10)
  expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(2)
  await records(10)
  const [delivery] = await service.deliveriesOf(webhook)
  expect(delivery).toMatchObject({
    eventType: 'webhook.test',
    status: 'delivered',
    attempts: [{ trigger: 'test' }],
  })
  expect(await service.engine.redeliver(workspace, delivery!, BY)).toMatchObject({ outcome: 'rate_limited' })
  clock.advance(MINUTE_MS)
  expect(await service.engine.redeliver(workspace, delivery!, BY)).toMatchObject({ outcome: 'accepted' })
  await records(11)
})

it('nothing more goes to a webhook once its removal is answered', async () => {
  await restart({ limits: { maxInFlight: 8, maxInFlightPerWebhook: 1 } })
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const release = holdRequests(204)
  for (let i = 0; i < 5; i++) await service.publish(workspace)
  await requests(1)
  expect(await service.engine.deleteWebhook(workspace, webhook, null, BY)).toEqual({ outcome: 'deleted' })
  release()
  await records(1)
  clock.advance(MINUTE_MS)
  await service.engine.check().catch(() => {})
  expect(receiver.requests).toHaveLength(1)
})

it('a changed URL applies to deliveries that already wait', async () => {
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  receiver.answer((response) => response.writeHead(500).end())
  await service.publish(workspace)
  await records(1)
  const moved = await startReceiver()
  await service.engine.updateWebhook(workspace, webhook, { url: moved.url }, null, BY)
  clock.advance(6 * SECOND_MS)
  await until(clock, 'the retry at the new place', () => moved.requests.length === 1)
  expect(receiver.requests).toHaveLength(1)
  await moved.close()
})

it('a stop lets the attempt in flight finish and be recorded, and releases the rest', async () => {
  await restart({ limits: { maxInFlight: 1, maxInFlightPerWebhook: 1 } })
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  const release = holdRequests(204)
  for (let i = 0; i < 3; i++) await service.publish(workspace)
  await requests(1)
  const stopping = service.engine.stop()
  await expect(service.publish(workspace)).rejects.toThrow('stopping')
  release()
  await stopping
  const statuses = (await service.deliveriesOf(webhook)).map(({ status }) => status)
  expect(statuses).toEqual(['pending', 'pending', 'delivered'])
  expect(receiver.requests).toHaveLength(1)
})

it('a name that resolves to a private address is rejected at the connect, and the record says why', async () => {
  await restart({
    egress: {
      rules: PUBLIC_ONLY,
      lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  })
  const webhook = await service.createWebhook(workspace, 'https://hooks.acme-receiver.com/', [TYPE])
  await service.publish(workspace)
  await records(1)
  const [delivery] = await service.deliveriesOf(webhook)
  expect(delivery).toMatchObject({
    status: 'pending',
    attempts: [{ errorCode: 'refused_target', statusCode: null }],
  })
  expect(delivery!.attempts[0]!.errorMessage).toMatch(/address/)
  expect(receiver.requests).toHaveLength(0)
})

it('a redirect to a private address is recorded and not followed', async () => {
  const elsewhere = await startReceiver()
  const webhook = await service.createWebhook(workspace, receiver.url, [TYPE])
  receiver.answer((response) => response.writeHead(302, { location: elsewhere.url }).end())
  await service.publish(workspace)
  await records(1)
  const [delivery] = await service.deliveriesOf(webhook)
  expect(delivery).toMatchObject({
    status: 'pending',
    attempts: [{ errorCode: 'redirect', statusCode: 302 }],
  })
  expect(elsewhere.requests).toHaveLength(0)
  await elsewhere.close()
})

it('events with more deliveries than a commit takes are acknowledged first, and reach each webhook once', async () => {
  const crowd = await service.createWorkspace('ads')
  const [webhooks, events] = [30, 70]
  for (let i = 0; i < webhooks; i++) await service.createWebhook(crowd, `${receiver.url}/${i}`, [])
  const batch = Array.from({ length: events }, (_, i) => ({
    type: 'campaign.created.v1',
    broughtId: null,
    fingerprint: null,
    compose: () => JSON.stringify({ number: i }),
  }))
  expect(await service.engine.publish(crowd, batch, null)).toMatchObject({ outcome: 'accepted' })
  await requests(webhooks * events)
  await records(webhooks * events)
  const arrived = receiver.requests.map(({ path, body }) => `${path} ${body}`)
  expect(new Set(arrived).size).toBe(webhooks * events)
  expect(arrived).toHaveLength(webhooks * events)
})
