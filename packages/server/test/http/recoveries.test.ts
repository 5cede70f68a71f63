import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, openClient, SERVICES, type ServiceName } from './client.ts'
import { signedIn } from './people.ts'
import { billing, ProfileClient } from './profiles.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let client: Client
let webhook: Awaited<ReturnType<Client['receivingWebhook']>>
const fails = () => service.receiver.answer((response) => response.writeHead(503).end())
const works = () => service.receiver.answer((response) => response.writeHead(204).end())
afterEach(works)

async function setUp(name: ServiceName): Promise<void> {
  fails()
  client = await openClient(service, name)
  webhook = await client.receivingWebhook()
}

async function failed(count: number): Promise<void> {
  await client.publishMany(count)
  await service.recorded(count)
}

const SINCE = { since: '2001-01-01T00:00:00Z' }
const ask = (body: object = SINCE) => client.post(`${webhook.path}/recover`, body)
/** The member in the naming of the service. */
const named = (snake: string, camel: string) => (client.name === 'ads' ? camel : snake)

const read = async (location: string) =>
  (await service.call({ method: 'GET', url: location, key: client.ws.key })).json

async function ended(location: string) {
  for (;;) {
    const recovery = await read(location)
    if (recovery.status !== 'running') return recovery
    await service.settled()
  }
}

const triggersOf = ({ attempts }: { readonly attempts: readonly { readonly trigger: string }[] }) =>
  attempts.map(({ trigger }) => trigger)

describe.each(SERVICES)('a recovery of the %s service', (name) => {
  beforeEach(() => setUp(name))

  it('sends failed deliveries again, with the same ids and bytes, and shows its progress', async () => {
    await failed(3)
    const first = service.receiver.requests.slice(-3).map(({ body }) => body.toString())
    works()
    const { status, json, headers } = await ask()
    expect([status, json]).toMatchObject([
      202,
      { status: 'running', total: 3, done: 0, delivered: 0, failed: 0, missed: { count: 0, cursor: null } },
    ])
    expect(json.until <= new Date(service.clock.now() + 1).toISOString()).toBe(true)
    await service.recorded(3)
    const recovery = await ended(headers.location as string)
    expect(recovery).toMatchObject({
      id: json.id,
      status: 'done',
      total: 3,
      done: 3,
      delivered: 3,
      failed: 0,
    })
    expect(recovery[named('done_at', 'doneAt')]).toEqual(expect.any(String))
    const again = service.receiver.requests.slice(-3).map(({ body }) => body.toString())
    expect(again.sort()).toEqual(first.sort())
    for (const delivery of await client.deliveries(webhook.id))
      expect([delivery.status, triggersOf(delivery as never)]).toEqual(['delivered', ['schedule', 'recover']])
  })

  it('as a dry run counts and changes nothing', async () => {
    await failed(2)
    const before = await client.deliveries(webhook.id)
    const { status, json } = await ask({ ...SINCE, [named('dry_run', 'dryRun')]: true })
    expect([status, json]).toMatchObject([200, { total: 2, done: 0, delivered: 0, failed: 0 }])
    expect(json).not.toHaveProperty('id')
    await service.settled()
    expect(await client.deliveries(webhook.id)).toEqual(before)
  })

  it('includes only the selected deliveries', async () => {
    await failed(1)
    const tried = (body: object) => ask({ [named('dry_run', 'dryRun')]: true, ...SINCE, ...body })
    const total = async (body: object) => (await tried(body)).json.total
    expect(await total({})).toBe(1)
    expect(await total({ status: ['canceled'] })).toBe(0)
    expect(await total({ status: [name === 'ads' ? 'dead' : 'failed'] })).toBe(1)
    expect(await total({ types: [client.words.type] })).toBe(1)
    expect(await total({ types: [client.words.otherType] })).toBe(0)
    expect(await total({ until: '2001-01-02T00:00:00Z' })).toBe(0)
    expect(await total({ since: '2099-01-01T00:00:00Z' })).toBe(0)
  })

  it.each([
    ['no time', {}, '/since'],
    ['an invalid time', { since: 'yesterday' }, '/since'],
    ['an end before the beginning', { ...SINCE, until: '2000-01-01T00:00:00Z' }, '/until'],
    ['an unknown state', { ...SINCE, status: ['pending'] }, '/status/0'],
    ['no state', { ...SINCE, status: [] }, '/status'],
    ['the same state twice', { ...SINCE, status: ['canceled', 'canceled'] }, '/status'],
    ['an unknown type', { ...SINCE, types: ['no.such'] }, '/types/0'],
    ['a member that is not known', { ...SINCE, webhook: 'x' }, '/webhook'],
  ])('is rejected with %s', async (_, body, pointer) => {
    const { status, json } = await ask(body)
    expect([status, json.errors?.[0].pointer]).toEqual([422, pointer])
  })

  it('can be canceled, which the audit log records', async () => {
    await failed(2)
    const held: ServerResponse[] = []
    service.receiver.answer((response) => held.push(response))
    const { json, headers } = await ask()
    const cancel = () =>
      service.call({ method: 'DELETE', url: headers.location as string, key: client.ws.key })
    await vi.waitFor(() => expect(held).toHaveLength(2), { timeout: 20_000 })
    const canceled = await cancel()
    expect([canceled.status, canceled.json]).toMatchObject([200, { status: 'canceled', total: 2 }])
    expect((await cancel()).json.status).toBe('canceled')
    const { data } = (await service.admin('GET', `/audit-log?target=${webhook.id}`)).json
    expect(data.slice(0, 2)).toMatchObject([
      { action: 'recovery.canceled', details: { recovery: json.id } },
      { action: 'recovery.created', details: { recovery: json.id, deliveries: 2 } },
    ])
    works()
    for (const response of held) response.writeHead(204).end()
    await service.recorded(2)
    expect(await read(headers.location as string)).toMatchObject({ status: 'canceled' })
  })

  it('of another webhook, or of another kind, is not found', async () => {
    const { json, headers } = await ask()
    const other = await client.webhook()
    const location = headers.location as string
    const url = location.replace(webhook.id, other.id).replace(json.id, name === 'ads' ? other.id : json.id)
    for (const method of ['GET', 'DELETE'] as const)
      expect((await service.call({ method, url, key: client.ws.key })).status).toBe(404)
    await ended(location)
  })

  it('cannot be started by read-only members, who see its progress', async () => {
    const { headers } = await ask()
    const { token: key } = await signedIn(service, client.ws.id, 'viewer')
    const { status, json } = await client.post(`${webhook.path}/recover`, SINCE, { key })
    expect([status, json.code]).toEqual([403, 'role_missing'])
    const url = headers.location as string
    expect((await service.call({ method: 'GET', url, key })).status).toBe(200)
    expect((await service.call({ method: 'DELETE', url, key })).status).toBe(403)
    await ended(url)
  })
})

it('sends missed events, where the profile of the service says so', async () => {
  const document = billing({ operations: { recover: { missed: 'recoverable' }, pause: {} } })
  expect((await service.admin('POST', '/services', document)).status).toBe(201)
  const billed = await ProfileClient.open(service, document)
  const { id } = await billed.webhook()
  const change = (body: object) => billed.call('PATCH', `/webhooks/${id}`, body)
  expect((await change({ paused: true })).status).toBe(200)
  const missed = [await billed.publish(), await billed.publish()].sort()
  await change({ paused: false })
  await service.settled()
  const recover = (changes: object = {}) =>
    billed.call('POST', `/webhooks/${id}/recover`, { ...SINCE, ...changes })
  expect((await recover({ dry_run: true })).json).toMatchObject({ total: 2, missed: { count: 2 } })
  const { status, json } = await recover()
  expect([status, json.total]).toEqual([202, 2])
  await service.recorded(2)
  const progress = (await billed.call('GET', `/webhooks/${id}/recoveries/${json.id}`)).json
  expect(progress).toMatchObject({
    status: 'done',
    total: 2,
    delivered: 2,
    missed: { count: 0, cursor: null },
  })
  const log = (await billed.call('GET', '/deliveries')).json.data
  expect(log.map(({ event_id }: { event_id: string }) => event_id).sort()).toEqual(missed)
  expect((await recover({ dry_run: true })).json).toMatchObject({ total: 0, missed: { count: 0 } })
})

describe('a recovery of the content service', () => {
  beforeEach(() => setUp('content'))
  const patch = (body: object) => client.call('PATCH', webhook.path, { body })

  it('is rejected while the webhook is disabled or paused', async () => {
    for (const [changes, detail] of [
      [{ paused: true }, 'The webhook is paused. Resume it first.'],
      [{ enabled: false }, 'The webhook is disabled. Enable it first.'],
    ] as const) {
      await patch(changes)
      const { status, json } = await ask()
      expect([status, json.code, json.detail]).toEqual([409, 'webhook_not_on', detail])
    }
  })

  it('counts missed events, which it does not send, and links to them in the feed', async () => {
    works()
    await patch({ paused: true })
    await client.publishMany(3)
    await client.publish(client.words.otherType)
    await patch({ paused: false })
    await service.settled()
    const { headers, json } = await ask()
    expect(json).toMatchObject({ total: 0, missed: { count: 3, has_more: false } })
    const { cursor } = json.missed
    const feed = (await client.get(`/events?after=${encodeURIComponent(cursor)}`)).json
    expect(feed.data).toHaveLength(4)
    const preview = async (types: readonly string[]) => (await ask({ ...SINCE, dry_run: true, types })).json
    expect(await preview([client.words.type])).toMatchObject({ missed: { count: 3 } })
    expect(await preview([client.words.otherType])).toMatchObject({ missed: { count: 0, cursor: null } })
    expect(await ended(headers.location as string)).toMatchObject({ status: 'done', total: 0 })
    expect(await client.deliveries(webhook.id)).toEqual([])
  })

  it('shares the limit of tests and redeliveries, which a dry run does not use', async () => {
    for (let i = 0; i < 12; i++) expect((await ask({ ...SINCE, dry_run: true })).status).toBe(200)
    const statuses: number[] = []
    for (let i = 0; i < 11; i++) statuses.push((await ask()).status)
    expect(statuses).toEqual([...Array(10).fill(202), 429])
  })

  it('is canceled once the webhook is paused', async () => {
    fails()
    await failed(2)
    service.receiver.answer(() => {})
    const { headers } = await ask()
    await patch({ paused: true })
    expect(await ended(headers.location as string)).toMatchObject({ status: 'canceled', total: 2 })
    works()
    await patch({ paused: false })
  })
})
