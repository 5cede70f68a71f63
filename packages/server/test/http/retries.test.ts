import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient, SERVICES, type ServiceName } from './client.ts'
import { signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

const HOUR_MS = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startTestService(() => ({}), { waitsMs: Array(7).fill(HOUR_MS) })
})
afterAll(() => service.stop())

let client: Client
let webhook: { readonly id: string; readonly path: string }
const fails = () => service.receiver.answer((response) => response.writeHead(503).end())
const works = () => service.receiver.answer((response) => response.writeHead(204).end())

async function setUp(name: ServiceName): Promise<void> {
  fails()
  client = await openClient(service, name)
  webhook = await client.receivingWebhook()
}
afterEach(() => works())

/** Publishes events whose first attempts fail. @returns the deliveries, newest first */
async function failing(count: number): Promise<{ readonly id: string }[]> {
  for (let i = 0; i < count; i++) {
    await client.publish()
    await service.recorded(1)
  }
  return client.deliveries(webhook.id)
}

const pathOf = (id: string) => client.deliveryPath(webhook.id, id)

const triggersOf = ({ attempts }: { readonly attempts: readonly { readonly trigger: string }[] }) =>
  attempts.map(({ trigger }) => trigger)

describe.each(SERVICES)('a pending delivery of the %s service', (name) => {
  beforeEach(() => setUp(name))

  it('is attempted now, as a retry, and after a failure waits as scheduled', async () => {
    const [delivery] = await failing(1)
    const answer = await client.post(`${pathOf(delivery!.id)}/retry`)
    expect(answer.status).toBe(202)
    await service.recorded(1)
    const { json } = await client.get(pathOf(delivery!.id))
    expect([json.status, triggersOf(json)]).toEqual(['pending', ['schedule', 'retry']])
    works()
    await client.post(`${pathOf(delivery!.id)}/retry`)
    await service.recorded(1)
    const after = (await client.get(pathOf(delivery!.id))).json
    expect([after.status, triggersOf(after)]).toEqual(['delivered', ['schedule', 'retry', 'retry']])
    const refused = await client.post(`${pathOf(delivery!.id)}/retry`)
    expect([refused.status, refused.json.code, refused.json.detail]).toEqual([
      409,
      'delivery_not_pending',
      'Only pending deliveries can be retried; this one is delivered.',
    ])
  })

  it('is attempted once with one Idempotency-Key', async () => {
    const [delivery] = await failing(1)
    const headers = { 'idempotency-key': `${name}-once` }
    const first = await client.post(`${pathOf(delivery!.id)}/retry`, undefined, { headers })
    await service.recorded(1)
    const again = await client.post(`${pathOf(delivery!.id)}/retry`, undefined, { headers })
    expect([again.status, again.text]).toEqual([202, first.text])
    await service.settled()
    const { json } = await client.get(pathOf(delivery!.id))
    expect(triggersOf(json)).toEqual(['schedule', 'retry'])
  })

  it('is one of all that a retry of the webhook includes, as long as they arrive', async () => {
    await failing(7)
    works()
    const answer = await client.post(`${webhook.path}/retry`)
    expect([answer.status, answer.json]).toMatchObject([202, { status: 'running', pending: 7, delivered: 0 }])
    await service.recorded(7)
    const statuses = (await client.deliveries(webhook.id)).map(({ status }) => status)
    expect(statuses).toEqual(Array(7).fill('delivered'))
  })

  it('keeps its time and its attempts if the retry of the webhook has failed before', async () => {
    const before = await failing(5)
    expect((await client.post(`${webhook.path}/retry`)).status).toBe(202)
    await service.recorded(1)
    await service.settled()
    const after = await client.deliveries(webhook.id)
    const retried = after.findIndex((delivery) => triggersOf(delivery as never).length === 2)
    expect(triggersOf(after[retried] as never)).toEqual(['schedule', 'retry'])
    expect(after.toSpliced(retried, 1)).toEqual(before.toSpliced(retried, 1))
  })
})

describe.each(SERVICES)('a webhook of the %s service', (name) => {
  beforeEach(() => setUp(name))

  it('is retried after the operator has resumed its workspace, as the answer says', async () => {
    const [delivery] = await failing(1)
    await service.admin('POST', `/workspaces/${client.ws.id}/suspend`)
    for (const path of [`${webhook.path}/retry`, `${pathOf(delivery!.id)}/retry`]) {
      const { status, json } = await client.post(path)
      expect([status, json.code, json.detail]).toEqual([
        409,
        'webhook_not_on',
        'The workspace is suspended. Ask the operator to resume it.',
      ])
    }
    await service.admin('POST', `/workspaces/${client.ws.id}/resume`)
    expect((await client.post(`${webhook.path}/retry`)).status).toBe(202)
    await service.recorded(1)
  })

  it('has one audit log entry for a retry, however often it is requested in between', async () => {
    await failing(2)
    service.receiver.answer(() => {})
    for (const _ of [1, 2]) expect((await client.post(`${webhook.path}/retry`)).status).toBe(202)
    const { json } = await service.admin('GET', `/audit-log?workspace=${client.ws.id}`)
    const [newest, before] = json.data
    expect([newest.action, newest.target.id]).toEqual(['webhook.retried', webhook.id])
    expect(before.action).not.toBe('webhook.retried')
  })
})

describe('a webhook of the content service', () => {
  beforeEach(() => setUp('content'))

  it('cannot be retried while paused, and the answer says why', async () => {
    const [delivery] = await failing(1)
    await client.call('PATCH', webhook.path, { body: { paused: true } })
    for (const path of [`${webhook.path}/retry`, `${pathOf(delivery!.id)}/retry`]) {
      const { status, json } = await client.post(path)
      expect([status, json.code, json.detail]).toEqual([
        409,
        'webhook_not_on',
        'The webhook is paused. Resume it first.',
      ])
    }
  })

  it('is retried within the limit of tests and redeliveries', async () => {
    await failing(1)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) statuses.push((await client.post(`${webhook.path}/retry`)).status)
    expect(statuses).toEqual([...Array(10).fill(202), 429])
    const { json } = await client.post(`${webhook.path}/retry`)
    expect(json.detail).toMatch(
      /^Tests, redeliveries, retries and recoveries of the workspace share one limit/,
    )
    await service.recorded(1)
  })

  it('cannot be retried by read-only members', async () => {
    await failing(1)
    const { token: key } = await signedIn(service, client.ws.id, 'viewer')
    const { status, json } = await client.post(`${webhook.path}/retry`, undefined, { key })
    expect([status, json.code]).toEqual([403, 'role_missing'])
  })
})
