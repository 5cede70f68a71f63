import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { type Client, eventOf, openClient } from './client.ts'
import { thanks } from './content.ts'
import { callAnother, callUnderKey, effectsIn, IDEMPOTENT_CALLS, setScene } from './idempotency.calls.ts'
import { signedIn } from './people.ts'
import { ADMIN_TOKEN, type Answer, startTestService, type TestService } from './service.ts'

let service: TestService
let refuses = false

/** Rejects every write, as a full disk does. */
function failing<T extends object>(target: T, calls: readonly string[]): T {
  return new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) =>
        refuses && calls.includes(String(name))
          ? Promise.reject(new StoreUnavailableError('disk full'))
          : value.apply(target, args)
    },
  })
}
const ENGINE_CHANGES = [
  'publish',
  'createWebhook',
  'rotateSecret',
  'sendTest',
  'redeliver',
  'replay',
  'startReplay',
]

beforeAll(async () => {
  service = await startTestService(({ engine, storage }) => ({
    engine: failing(engine, ENGINE_CHANGES),
    storage: failing(storage, ['change']),
  }))
})
beforeEach(() => service.receiver.answer(thanks))
afterAll(() => service.stop())

const under = (key: string) => ({ headers: { 'idempotency-key': key } })
const outcome = ({ status, json }: Answer) => [status, json?.code]

describe('an error is not remembered for an Idempotency-Key', () => {
  it('of a webhook beyond the limit', async () => {
    const client = await openClient(service, 'content')
    const paths: string[] = []
    for (let i = 0; i < 20; i++) paths.push((await client.webhook()).path)
    const create = () => client.post('/webhooks', client.webhookBody(), under('k'))
    expect(outcome(await create())).toEqual([409, 'webhook_limit_reached'])
    await client.call('DELETE', paths[0]!)
    expect((await create()).status).toBe(201)
  })

  it('of invalid input', async () => {
    const client = await openClient(service, 'ads')
    const create = (url: string) => client.post('/webhooks', { url }, under('k'))
    expect((await create('https://10.0.0.1/')).status).toBe(422)
    expect((await create('https://hooks.example.com/')).status).toBe(201)
  })

  it('of a test beyond the limit, and of one of a disabled webhook', async () => {
    const client = await openClient(service, 'content')
    const { path } = await client.receivingWebhook()
    const test = () => client.post(`${path}/test`, undefined, under('k'))
    await client.call('PATCH', path, { body: { enabled: false } })
    expect(outcome(await test())).toEqual([409, 'webhook_not_on'])
    await client.call('PATCH', path, { body: { enabled: true } })
    for (let i = 0; i < 10; i++) await client.post(`${path}/test`)
    await service.recorded(10)
    expect(outcome(await test())).toEqual([429, 'rate_limited'])
    service.clock.forwardCalendar(60_001)
    expect((await test()).status).toBe(202)
    await service.recorded(1)
  })

  it('of a delivery that is not dead', async () => {
    const client = await openClient(service, 'ads')
    const { id } = await client.receivingWebhook()
    await client.publish()
    await service.recorded(1)
    const [{ id: delivered }] = await client.deliveries(id)
    const replay = (of: string) => client.post(client.againPath(id, of), undefined, under('k'))
    expect(outcome(await replay(delivered))).toEqual([409, 'delivery_not_dead'])
    service.receiver.answer((response) => response.writeHead(500).end())
    await client.publish()
    await service.recorded(1)
    const [{ id: dead }] = await client.deliveries(id)
    expect((await replay(dead)).status).toBe(202)
    await service.recorded(1)
  })

  it('of another version', async () => {
    const client = await openClient(service, 'content')
    const { path } = await client.webhook()
    const rotate = (etag: string) =>
      client.post(`${path}/rotate-secret`, undefined, {
        headers: { 'idempotency-key': 'k', 'if-match': etag },
      })
    expect(outcome(await rotate('"v9"'))).toEqual([412, 'version_mismatch'])
    const rotated = await rotate('"v1"')
    expect(rotated.status).toBe(200)
    // The requested version no longer exists, but this was done.
    expect((await rotate('"v1"')).text).toBe(rotated.text)
  })

  it('of a slug, an e-mail address or an event id in use', async () => {
    const { ws } = await openClient(service, 'ads')
    const create = (url: string, body: object) =>
      service.call({
        method: 'POST',
        url: `/admin/v1${url}`,
        key: ADMIN_TOKEN,
        body,
        ...under(`taken ${url}`.replaceAll(' ', '')),
      })
    const workspace = () => create('/workspaces', { dialect: 'ads', slug: ws.slug, name: 'Again' })
    const member = () =>
      create(`/workspaces/${ws.id}/members`, { email: 'a@example.com', name: 'A', role: 'owner' })
    const anna = await service.admin('POST', `/workspaces/${ws.id}/members`, {
      email: 'a@example.com',
      name: 'A',
      role: 'owner',
    })
    expect(outcome(await member())).toEqual([409, 'email_taken'])
    await service.admin('DELETE', `/workspaces/${ws.id}/members/${anna.json.id}`)
    expect((await member()).status).toBe(201)
    expect(outcome(await workspace())).toEqual([409, 'slug_taken'])
    await service.admin('DELETE', `/workspaces/${ws.id}`)
    expect((await workspace()).status).toBe(201)
  })

  it('of an event id in use', async () => {
    const client = await openClient(service, 'content')
    await client.publish(undefined, { id: 'evt_taken' })
    const publish = (id: string) =>
      client.post('/events', eventOf('content', 'plan.ready', { id }), under('k'))
    expect(outcome(await publish('evt_taken'))).toEqual([409, 'event_id_conflict'])
    expect((await publish('evt_free')).status).toBe(202)
  })
})

describe.each(IDEMPOTENT_CALLS)('$title that the store rejects', (call) => {
  it('stores nothing for its Idempotency-Key', async () => {
    const scene = await setScene(service, call.service)
    const before = await effectsIn(service, scene)
    const key = `unavailable-${scene.client.ws.id}`
    refuses = true
    const refused = await callAnother(service, call, scene, key)
    refuses = false
    expect(outcome(refused)).toEqual([503, 'store_unavailable'])
    expect(await effectsIn(service, scene)).toEqual(before)
    expect((await callUnderKey(service, call, scene, key)).status).toBeLessThan(300)
    if (call.sends) await service.recorded(1)
  })
})

describe('Idempotency-Keys', () => {
  const create = (client: Client, description: string, key?: string) =>
    client.post('/webhooks', client.webhookBody({ description }), { ...under('shared'), key })

  it('of different callers are independent', async () => {
    const client = await openClient(service, 'content')
    const { ws } = client
    const scopes = ['webhooks', 'generations:read']
    const keys = [
      ws.key,
      (await service.key(ws.id, { scopes })).key,
      (await service.key(ws.id, { scopes })).key,
    ]
    for (let i = 0; i < 2; i++) keys.push((await signedIn(service, ws.id, 'owner')).token)
    const elsewhere = await openClient(service, 'content')
    for (const [i, key] of keys.entries()) expect((await create(client, `by ${i}`, key)).status).toBe(201)
    expect((await create(elsewhere, 'elsewhere')).status).toBe(201)
    expect((await client.get('/webhooks')).json.data).toHaveLength(keys.length)
    expect((await elsewhere.get('/webhooks')).json.data).toHaveLength(1)
    const body = { dialect: 'ads', slug: `${ws.slug}-c`, name: 'C' }
    const url = '/admin/v1/workspaces'
    const operator = await service.call({ method: 'POST', url, key: ADMIN_TOKEN, body, ...under('shared') })
    expect(operator.status).toBe(201)
  })

  it('belong to one route and one path', async () => {
    const client = await openClient(service, 'content')
    const { path } = await client.webhook()
    const { path: otherPath } = await client.webhook()
    expect((await create(client, 'first')).status).toBe(201)
    expect(outcome(await client.post(`${path}/rotate-secret`, undefined, under('shared')))).toEqual([
      422,
      'idempotency_key_reused',
    ])
    expect((await client.post(`${path}/rotate-secret`, undefined, under('k'))).status).toBe(200)
    expect(outcome(await client.post(`${otherPath}/rotate-secret`, undefined, under('k')))).toEqual([
      422,
      'idempotency_key_reused',
    ])
  })

  it('belong to the workspace of a slug, not to the slug', async () => {
    const { ws } = await openClient(service, 'ads')
    const make = (workspace: string, what: string, body: object) =>
      service.call({
        method: 'POST',
        url: `/admin/v1/workspaces/${workspace}/${what}`,
        key: ADMIN_TOKEN,
        body,
        ...under(`${what}-${ws.slug}`),
      })
    const key = (workspace: string) => make(workspace, 'keys', { name: 'K', scopes: ['webhooks'] })
    const member = (workspace: string) =>
      make(workspace, 'members', { email: 'a@example.com', name: 'A', role: 'owner' })
    const made = [await key(ws.slug), await member(ws.slug)]
    // However the workspace is named, it is the same one.
    expect([(await key(ws.id)).text, (await member(ws.id)).text]).toEqual(made.map(({ text }) => text))
    await service.admin('DELETE', `/workspaces/${ws.id}`)
    await service.admin('POST', '/workspaces', { dialect: 'ads', slug: ws.slug, name: 'Another' })
    for (const again of [await key(ws.slug), await member(ws.slug)])
      expect(outcome(again)).toEqual([422, 'idempotency_key_reused'])
  })

  it('can be reused for any request after a day', async () => {
    const client = await openClient(service, 'content')
    expect((await create(client, 'first')).status).toBe(201)
    service.clock.forwardCalendar(86_400_000 - 60_000)
    expect(outcome(await create(client, 'second'))).toEqual([422, 'idempotency_key_reused'])
    service.clock.forwardCalendar(60_001)
    const second = await create(client, 'second')
    expect(second.status).toBe(201)
    expect((await create(client, 'second')).text).toBe(second.text)
    expect((await client.get('/webhooks')).json.data).toHaveLength(2)
  })

  it('have no effect where nothing is created', async () => {
    const client = await openClient(service, 'ads')
    const { path } = await client.webhook()
    const patch = (description: string) =>
      client.call('PATCH', path, { body: { description }, ...under('k') })
    expect((await patch('one')).json.description).toBe('one')
    expect((await patch('two')).json.description).toBe('two')
    const dryRun = () => client.post('/webhook-deliveries/replay', { dryRun: true }, under('k'))
    expect((await dryRun()).status).toBe(200)
    expect((await client.post('/webhook-deliveries/replay', {}, under('k'))).status).toBe(202)
    expect((await client.call('DELETE', path, under('k'))).status).toBe(204)
  })
})
