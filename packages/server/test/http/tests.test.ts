import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, openClient, SERVICES, type ServiceName } from './client.ts'
import { startTestService, type TestService } from './service.ts'

const DAY_MS = 86_400_000

let service: TestService
beforeAll(async () => {
  // A test is not retried even with waits configured.
  service = await startTestService(() => ({}), { waitsMs: [1, 1] })
})
afterAll(() => service.stop())

let client: Client
let webhook: Awaited<ReturnType<Client['receivingWebhook']>>
const answers = (status: number) => service.receiver.answer((response) => response.writeHead(status).end())
afterEach(() => answers(204))

async function setUp(name: ServiceName): Promise<void> {
  answers(204)
  client = await openClient(service, name)
  webhook = await client.receivingWebhook()
}

const test = (body?: object) => client.post(`${webhook.path}/test`, body)
const newest = () => service.receiver.requests.at(-1)!

describe.each(SERVICES)('a test of the %s service', (name) => {
  beforeEach(() => setUp(name))

  it("is the service's own test event, or else the example of the first type", async () => {
    const { status, json } = await test()
    const type = name === 'content' ? 'webhook.test' : client.words.type
    expect([status, json.event_type ?? json.eventType]).toEqual([202, type])
    await service.recorded(1)
    expect(JSON.parse(newest().body.toString()).type).toBe(type)
    expect((await test({})).status).toBe(202)
    await service.recorded(1)
  })

  it('is the example of a type that the webhook receives, with its own id', async () => {
    const { type } = client.words
    const ids = new Set<unknown>()
    for (let i = 0; i < 2; i++) {
      const { status, json } = await test({ type })
      expect(status).toBe(202)
      await service.recorded(1)
      const body = JSON.parse(newest().body.toString())
      expect(body.type).toBe(type)
      ids.add(json.event_id ?? json.eventId)
    }
    expect(ids.size).toBe(2)
    const { data } = (await client.get('/events')).json
    expect(data).toEqual([])
  })

  it.each([
    ['an unknown type', 'no.such.type'],
    ['a type that the webhook does not receive', 'other'],
    ['a value that is not text', 7],
  ])('is rejected with %s', async (_, asked) => {
    const type = asked === 'other' ? client.words.otherType : asked
    const { status, json } = await test({ type })
    expect([status, json.errors?.[0].pointer]).toEqual([422, '/type'])
  })

  it('is one attempt, and does not affect the webhook', async () => {
    answers(410)
    const { json } = await test()
    await service.recorded(1)
    service.clock.forwardCalendar(2 * DAY_MS)
    answers(500)
    await test()
    await service.recorded(1)
    await service.settled()
    for (const delivery of await client.deliveries(webhook.id))
      expect([delivery.status, delivery.attempts.length]).toEqual([name === 'ads' ? 'dead' : 'failed', 1])
    const after = (await client.get(webhook.path)).json
    if (name === 'content') expect(after).toMatchObject({ status: 'on', failing_since: null })
    const view = await service.admin('GET', '/failing-webhooks')
    expect(view.text).not.toContain(webhook.id)
    expect(json.id).toEqual(expect.any(String))
  })
})
