import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { Loop } from '../../src/engine/loop.ts'
import { createAlertRelay } from '../../src/services/alertRelay.ts'
import { type Client, openClient, SERVICES, type ServiceName } from './client.ts'
import { startTestService, type TestService } from './service.ts'

const MINUTE_MS = 60_000

let service: TestService
let relay: Loop
beforeAll(async () => {
  service = await startTestService()
  const { engine, storage, clock } = service
  const quiet = { info() {}, warn() {}, error() {} }
  relay = createAlertRelay({
    storage: storage.alerts,
    engine,
    clock,
    failureLog: new FailureLog(clock, quiet),
  })
})
afterAll(() => service.stop())

let client: Client
const patch = (path: string, body: object) => client.call('PATCH', path, { body })
const remove = (path: string) => client.call('DELETE', path)
const operationalUrl = () => service.receiver.url.replace('/hook', '/operational')
/** Requests to operational webhooks, oldest first. */
const operationalRequests = () =>
  service.receiver.requests
    .filter(({ path }) => path === '/operational')
    .map(({ headers, body }) => ({ headers, json: JSON.parse(body.toString()) }))
/** How customers' receivers answer; operational ones accept. */
const answers = (status: number) =>
  service.receiver.answer((response, { path }) =>
    response.writeHead(path === '/operational' ? 204 : status).end(),
  )
beforeEach(() => answers(503))
afterEach(() => answers(204))

async function fail(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await client.publish()
    await service.recorded(1)
  }
}

/** Publishes pending alerts, and waits until they have arrived. */
async function relayed(count: number): Promise<void> {
  await relay.runOnce()
  await service.recorded(count)
}

describe.each(SERVICES)('an operational webhook of the %s service', (name: ServiceName) => {
  const camel = name === 'ads'
  beforeEach(async () => {
    client = await openClient(service, name)
  })

  it('can be created, read, changed and deleted, one per workspace', async () => {
    const url = operationalUrl()
    expect((await client.get('/operational-webhook')).json).toEqual({ webhook: null })
    const headers = { 'idempotency-key': `make-${name}` }
    const made = await client.post('/operational-webhook', { url }, { headers })
    const secret = made.json[camel ? 'signingSecret' : 'signing_secret']
    expect([made.status, made.json.url, made.json.events, secret]).toEqual([
      201,
      url,
      [],
      expect.stringMatching(/^whsec_/),
    ])
    expect((await client.post('/operational-webhook', { url }, { headers })).json).toEqual(made.json)
    expect((await client.post('/operational-webhook', { url })).json.code).toBe('webhook_limit_reached')
    const changed = await patch('/operational-webhook', { events: ['webhook.failing'] })
    expect([changed.status, changed.json.events]).toEqual([200, ['webhook.failing']])
    expect((await client.get('/operational-webhook')).json).toEqual({ webhook: changed.json })
    const rotated = await client.post('/operational-webhook/rotate-secret')
    expect(rotated.json[camel ? 'signingSecret' : 'signing_secret']).not.toBe(secret)
    expect((await client.get('/webhooks')).json.data).toEqual([])
    const { status } = await remove('/operational-webhook')
    expect([status, (await client.get('/operational-webhook/deliveries')).status]).toEqual([204, 404])
    const entries = (await service.admin('GET', `/audit-log?workspace=${client.ws.id}&limit=100`)).json.data
    const actions = entries.map(({ action }: { action: string }) => action)
    expect(actions).toEqual(
      expect.arrayContaining([
        'webhook.created',
        'webhook.updated',
        'webhook.secret_rotated',
        'webhook.deleted',
      ]),
    )
  })

  it('repeats its secret with one Idempotency-Key for ten minutes', async () => {
    const [secret, omitted] = camel
      ? ['signingSecret', 'secretOmitted']
      : ['signing_secret', 'secret_omitted']
    for (const path of ['/operational-webhook', '/operational-webhook/rotate-secret']) {
      const body = path.endsWith('/rotate-secret') ? undefined : { url: operationalUrl() }
      const headers = { 'idempotency-key': `shown-${name}-${path}` }
      const shown = async () => (await client.post(path, body, { headers })).json
      const first = await shown()
      expect([typeof first[secret], first[omitted]]).toEqual(['string', null])
      service.clock.forwardCalendar(9 * MINUTE_MS)
      expect(await shown()).toEqual(first)
      service.clock.forwardCalendar(MINUTE_MS)
      expect(await shown()).toEqual({ ...first, [secret]: null, [omitted]: 'expired' })
    }
  })

  it('rejects forbidden targets and unknown types', async () => {
    const bad = await client.post('/operational-webhook', { url: 'https://localhost/x' })
    expect([bad.status, bad.json.errors[0].pointer]).toEqual([422, '/url'])
    const unknown = await client.post('/operational-webhook', {
      url: operationalUrl(),
      events: ['webhook.x'],
    })
    expect([unknown.status, unknown.json.errors[0].pointer]).toEqual([422, '/events/0'])
  })

  it('gets signed requests when a webhook is failing, recovers and is disabled', async () => {
    const { json } = await client.post('/operational-webhook', {
      url: operationalUrl(),
      events: ['webhook.failing', 'webhook.recovered', 'webhook.disabled'],
    })
    const webhook = await client.receivingWebhook({ description: 'Orders' })
    const before = operationalRequests().length
    await fail(4)
    service.clock.forwardCalendar(10 * MINUTE_MS)
    await fail(1)
    const read = (await client.get(webhook.path)).json
    expect(read[camel ? 'alertedAt' : 'alerted_at']).toEqual(expect.any(String))
    await relayed(1)
    const [failing] = operationalRequests().slice(before)
    expect(failing!.headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      'webhook-timestamp': expect.any(String),
      'webhook-signature': expect.stringMatching(/^v1,/),
    })
    expect(failing!.json).toMatchObject({
      type: 'webhook.failing',
      data: {
        workspace: { id: client.ws.id, slug: client.ws.slug },
        // The path of a URL may contain a token.
        webhook: { id: webhook.id, url: new URL(service.receiver.url).origin, description: 'Orders' },
        reason: 'consecutive_failures',
        failures_in_a_row: 5,
        last_error: { code: 'http_status', status_code: 503 },
      },
    })
    await relay.runOnce()
    answers(204)
    await fail(1)
    await relayed(1)
    expect(operationalRequests().at(-1)!.json).toMatchObject({
      type: 'webhook.recovered',
      data: { webhook: { id: webhook.id } },
    })
    // It is not among the workspace's own events or deliveries.
    await service.settled()
    const events = (await client.get('/events?limit=100')).json.data
    expect(events.map(({ type }: { type: string }) => type)).toEqual(Array(6).fill(client.words.type))
    expect(await client.deliveries(webhook.id)).toHaveLength(6)
    const log = (await client.get('/operational-webhook/deliveries')).json.data
    expect(log.map((one: Record<string, unknown>) => one[camel ? 'eventType' : 'event_type'])).toEqual([
      'webhook.recovered',
      'webhook.failing',
    ])
    expect(json.id).toEqual(expect.stringMatching(/^wh_/))
  })

  it('gets an event when a delivery has used up its attempts', async () => {
    await client.post('/operational-webhook', { url: operationalUrl(), events: ['delivery.exhausted'] })
    const webhook = await client.receivingWebhook()
    await fail(1)
    await relayed(1)
    const [{ id: delivery }] = await client.deliveries(webhook.id)
    expect(operationalRequests().at(-1)!.json).toMatchObject({
      type: 'delivery.exhausted',
      data: { delivery: { id: delivery, event_type: client.words.type, attempts: 1 }, left_out: 0 },
    })
  })

  it('can be tested, and its own failures are not reported', async () => {
    await client.post('/operational-webhook', { url: service.receiver.url })
    for (let i = 0; i < 2; i++) {
      const sent = await client.post('/operational-webhook/test')
      expect(sent.status).toBe(202)
      await service.recorded(1)
    }
    service.clock.forwardCalendar(10 * MINUTE_MS)
    expect(await service.storage.readAlerts({ limit: 10 })).toEqual([])
  })

  it("accepts an owner's own rule and a snooze, as members of the webhook", async () => {
    const webhook = await client.webhook()
    const member = (snake: string, camelCase: string) => (camel ? camelCase : snake)
    const after = member('after_seconds', 'afterSeconds')
    const snoozed = member('snoozed_until', 'snoozedUntil')
    expect([webhook.json.warn, webhook.json[snoozed]]).toEqual([null, null])
    const set = await patch(webhook.path, {
      warn: { failures: 3, share: null, [after]: 900 },
      [snoozed]: '2090-01-01T00:00:00Z',
    })
    expect(set.status).toBe(200)
    expect(set.json.warn).toEqual({ failures: 3, share: null, deliveries: 10, [after]: 900 })
    expect(set.json[snoozed]).toBe('2090-01-01T00:00:00.000Z')
    const soon = await patch(webhook.path, { warn: { [after]: 599 } })
    expect([soon.status, soon.json.errors[0].pointer]).toEqual([422, `/warn/${after}`])
    const never = await patch(webhook.path, { [snoozed]: '2090-02-30T00:00:00Z' })
    expect([never.status, never.json.errors[0].pointer]).toEqual([422, `/${snoozed}`])
    const back = await patch(webhook.path, { warn: null, [snoozed]: null })
    expect([back.json.warn, back.json[snoozed]]).toEqual([null, null])
    const made = await client.webhook({ warn: { failures: 2 } })
    expect(made.json.warn.failures).toBe(2)
  })
})

describe("the operator's operational webhook", () => {
  it('gets events about the webhooks of all workspaces', async () => {
    const { status, json } = await service.admin('POST', '/operational-webhook', {
      url: operationalUrl(),
      events: ['webhook.disabled'],
    })
    expect([status, json.signing_secret]).toEqual([201, expect.stringMatching(/^whsec_/)])
    expect((await service.admin('POST', '/operational-webhook', { url: operationalUrl() })).status).toBe(409)
    client = await openClient(service, 'content')
    const webhook = await client.webhook()
    await patch(webhook.path, { enabled: false })
    await relayed(1)
    expect(operationalRequests().at(-1)!.json).toMatchObject({
      type: 'webhook.disabled',
      data: { workspace: { id: client.ws.id }, webhook: { id: webhook.id }, reason: 'manual' },
    })
    const listed = (await service.admin('GET', '/workspaces?limit=100')).json.data
    expect(listed.map(({ name }: { name: string }) => name)).not.toContain('')
    expect((await service.admin('GET', '/operational-webhook/deliveries')).json.data).toHaveLength(1)
    expect((await service.admin('DELETE', '/operational-webhook')).status).toBe(204)
    expect((await service.admin('GET', '/operational-webhook')).json).toEqual({ webhook: null })
  })
})
