import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, ProfileClient } from './profiles.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const SHIPPED = ['content', 'ads', 'standard', 'github', 'stripe', 'svix', 'shopify', 'toy']
const BUILT_IN = ['content', 'ads', 'standard']

/** Headers as the log has them: in lower case, and without those of the connection. */
const lowered = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

describe.each(SHIPPED)('the service %s', (name) => {
  const document = documentOf(name)
  let client: ProfileClient
  /** Of a workspace without webhooks. */
  let quiet: ProfileClient
  beforeAll(async () => {
    if (!BUILT_IN.includes(name))
      expect((await service.admin('POST', '/services', document)).status).toBe(201)
    client = await ProfileClient.open(service, document)
    quiet = await ProfileClient.open(service, document)
  })

  /** The newest delivery, once it is finished. */
  async function finished() {
    for (;;) {
      const [delivery] = (await client.call('GET', `${client.log}?limit=1`)).json.data
      if (delivery?.status !== 'pending') return delivery
    }
  }

  it('publishes, stores, sends, signs and logs an event, and shows the request as it was sent', async () => {
    const webhook = await client.webhook()
    const event = await client.publish()
    const delivery = await finished()
    const received = service.receiver.requests.at(-1)!
    expect(delivery).toMatchObject({
      [client.member('webhook_id')]: webhook.id,
      [client.member('event_id')]: event,
      [client.member('event_type')]: client.type,
      status: 'delivered',
    })
    const path = client.delivery(webhook.id, delivery.id)
    const shown = (await client.call('GET', path)).json
    const { headers } = shown.attempts[0].request
    expect(received.headers).toMatchObject(lowered(headers))
    for (const header of Object.keys(client.profile.headers)) expect(headers).toHaveProperty(header)
    expect(shown[client.member('request_body')]).toBe(received.body.toString())
  })

  it('returns its events in the feed and individually', async () => {
    const id = await quiet.publish()
    await service.settled()
    const feed = (await quiet.call('GET', '/events?limit=100')).json
    expect(Object.keys(feed)).toEqual([
      'data',
      'summaries',
      ...['next_cursor', 'has_more', 'indexed_until'].map((name) => client.member(name)),
    ])
    const one = await quiet.call('GET', `/events/${id}`)
    expect(one.status).toBe(200)
    expect(feed.data).toContainEqual(one.json)
  })

  it("accepts batches, and recognizes a publisher's id", async () => {
    const { prefixes } = client.profile
    const id = prefixes === null ? '0199703b-a8f3-7c26-b51e-4f0d92e8a767' : `${prefixes.event}mine`
    const events = [quiet.event({ id }), quiet.event()]
    const batch = () => quiet.call('POST', '/events/batch', { events: events.slice(0, 1) })
    const { status, json } = await quiet.call('POST', '/events/batch', { events })
    expect([status, json.events[0]]).toEqual([202, { id, repeated: false }])
    expect((await batch()).json.events).toEqual([{ id, repeated: true }])
  })

  it('rejects types that are not in its catalog', async () => {
    const { status, json } = await client.call('POST', '/events', client.event({ type: 'no such type' }))
    expect([status, json.errors[0].pointer]).toEqual([422, '/type'])
  })

  it('has the operations of its profile and no others', async () => {
    const { test, redeliver, replay, bulk } = client.profile.operations
    const latest = await finished()
    const webhook = latest[client.member('webhook_id')]
    const path = client.delivery(webhook, latest.id)
    const asked = [
      [test, await client.call('POST', `/webhooks/${webhook}/test`)],
      [redeliver, await client.call('POST', `${path}/redeliver`)],
      [replay, await client.call('POST', `${path}/replay`)],
      [bulk, await client.call('POST', `${client.log}/replay`, { [client.member('dry_run')]: true })],
    ] as const
    for (const [operation, { status, json }] of asked) {
      // A delivery that is not dead cannot be replayed.
      if (operation === null) expect([status, json.code]).toEqual([404, 'route_not_found'])
      else expect([200, 202, 409]).toContain(status)
    }
  })

  it('is documented', async () => {
    const get = (url: string) => service.call({ method: 'GET', url })
    const { status, json } = await get(`/openapi/${name}.json`)
    expect([status, json.info.title]).toEqual([200, `${client.profile.title}: event webhooks`])
    expect((await get('/schemas/index.json')).json).toHaveProperty(name)
    expect((await get('/docs/documents.json')).json).toContainEqual({
      url: `/openapi/${name}.json`,
      name: client.profile.title,
    })
  })

  it('is described to the console', async () => {
    const { status, json } = await service.call({
      method: 'GET',
      url: `/console/v1/workspaces/${client.ws.id}/service`,
      key: client.ws.key,
    })
    // Keys are not members.
    expect([status, json.code]).toEqual([403, 'members_only'])
  })
})
