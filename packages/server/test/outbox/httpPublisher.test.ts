import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, HttpPublisher, postTo } from '../../src/outbox/httpPublisher.ts'
import type { PublishOutcome } from '../../src/outbox/publisher.ts'
import { startTestService, type TestService } from '../http/service.ts'

const ADS_EVENT = {
  type: 'campaign.status_changed.v1',
  entityType: 'campaign',
  entityId: '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6',
  payload: { from: 'active', to: 'paused' },
}
const STANDARD_EVENT = { type: 'order.created', data: { n: 1 } }

describe('publishing from an outbox over HTTP', () => {
  let service: TestService
  let keys: Map<string, string>

  beforeAll(async () => {
    service = await startTestService()
    keys = new Map()
    for (const dialect of ['ads', 'standard']) keys.set(dialect, (await service.workspace(dialect)).key)
  })
  afterAll(() => service.stop())

  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })
  /** @returns its URL */
  async function startServer(listener: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      request.resume().on('end', () => listener(request, response))
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const to = (base: string) =>
    new HttpPublisher({ post: postTo(base), headersFor: () => ({}), layout: 'flat' })

  const publisher = () =>
    new HttpPublisher({
      post: postTo(service.base),
      headersFor: (workspace) => {
        const key = keys.get(workspace)
        return key === undefined ? null : { authorization: `Bearer ${key}` }
      },
    })
  const publish = (workspace: string, ...events: readonly object[]) =>
    publisher().publish(
      workspace,
      events.map((event) => JSON.stringify(event)),
    )

  it('publishes to a service whose paths do not name the workspace', async () => {
    expect(await publish('ads', ADS_EVENT)).toEqual({ outcome: 'published', repeated: 0 })
  })

  it('names the rejected events, each with all of its mistakes', async () => {
    const wrong = { ...ADS_EVENT, payload: { from: 'active' }, entityId: 'seven' }
    const outcome = await publish('ads', ADS_EVENT, wrong, ADS_EVENT)
    expect(outcome).toMatchObject({ outcome: 'rejected', events: [{ position: 1 }] })
    const { events } = outcome as Extract<PublishOutcome, { outcome: 'rejected' }>
    const { reason } = events[0]!
    expect(reason).toContain('/payload')
    expect(reason).toContain('/entityId')
  })

  it('names the type first if it is one of another service, and not every consequence', async () => {
    const outcome = await publish('ads', { ...STANDARD_EVENT, id: 'evt_1', actor: 1 })
    const { events } = outcome as Extract<PublishOutcome, { outcome: 'rejected' }>
    expect(events[0]!.reason).toMatch(
      /^\/type is not an event type of ads, the service of this workspace; GET \/schemas\/index\.json lists them \| \/\w+ [^|]+ \| \/\w+ [^|]+ \| and \d more$/,
    )
  })

  it('names the event whose id is in use', async () => {
    const id = '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a7'
    await publish('ads', { ...ADS_EVENT, id })
    const other = { ...ADS_EVENT, id, payload: { from: 'paused', to: 'active' } }
    expect(await publish('ads', ADS_EVENT, other)).toMatchObject({
      outcome: 'rejected',
      events: [{ position: 1, reason: '/id is already the id of another event' }],
    })
  })

  it('is blocked if there is no key, or an invalid one', async () => {
    expect(await publish('unknown', ADS_EVENT)).toMatchObject({
      outcome: 'blocked',
      reason: 'this relay has no key for the workspace unknown: start it with --key unknown=<key>',
    })
    keys.set('wrong', `phk_${'x'.repeat(43)}`)
    expect(await publish('wrong', ADS_EVENT)).toMatchObject({ outcome: 'blocked' })
  })

  it('finds the service unavailable if an answer breaks off', async () => {
    const base = await startServer((_, response) => {
      response.writeHead(202, { 'content-length': '100' }).write('{"events":')
      setImmediate(() => response.socket!.resetAndDestroy())
    })
    expect(await to(base).publish('acme', ['{}'])).toMatchObject({ outcome: 'unavailable' })
  })

  it('repeats a request on a connection that was closed at that moment', async () => {
    const sockets = new Map<unknown, number>()
    const base = await startServer((request, response) => {
      const requests = (sockets.get(request.socket) ?? 0) + 1
      sockets.set(request.socket, requests)
      if (requests === 1) response.writeHead(202).end('{"events":[{}]}')
      else request.socket.resetAndDestroy()
    })
    const publisher = to(base)
    for (let n = 0; n < 3; n++)
      expect(await publisher.publish('acme', ['{}'])).toMatchObject({ outcome: 'published' })
    expect([...sockets.values()]).toEqual([2, 2, 1])
  })

  it('finds the service unavailable if there is no answer', async () => {
    const unreachable = new HttpPublisher({
      post: postTo('http://127.0.0.1:9'),
      headersFor: () => ({ authorization: 'Bearer x' }),
    })
    expect(await unreachable.publish('ads', ['{}'])).toMatchObject({ outcome: 'unavailable' })
  })

  it('publishes to a service whose paths name the workspace', async () => {
    const { slug, key } = await service.workspace('standard')
    keys.set(slug, key)
    expect(await publish(slug, STANDARD_EVENT, STANDARD_EVENT)).toEqual({ outcome: 'published', repeated: 0 })
  })

  it.each<[string, Answer, PublishOutcome['outcome']]>([
    ['a page of a proxy', { status: 200, body: '<html>', retryAfter: null }, 'unavailable'],
    ['an answer of something else', { status: 202, body: '{"events":[]}', retryAfter: null }, 'unavailable'],
    ['a body that is too large for a proxy', { status: 413, body: '<html>', retryAfter: null }, 'rejected'],
    ['an error of a proxy', { status: 500, body: '<html>', retryAfter: null }, 'unavailable'],
    [
      'a service that stops',
      { status: 503, body: '{"code":"stopping","detail":"Stopping."}', retryAfter: '5' },
      'unavailable',
    ],
    [
      'a quota',
      { status: 429, body: '{"code":"quota_exceeded","detail":"Too many."}', retryAfter: '7' },
      'blocked',
    ],
    [
      'an error of the service',
      { status: 500, body: '{"code":"internal_error","title":"Error"}', retryAfter: null },
      'blocked',
    ],
  ])('understands %s', async (_, answer, outcome) => {
    const one = new HttpPublisher({ post: async () => answer, headersFor: () => ({}) })
    const retryAfterMs = answer.retryAfter === null ? null : Number(answer.retryAfter) * 1000
    const result = await one.publish('acme', ['{}'])
    expect(result.outcome).toBe(outcome)
    if (result.outcome !== 'rejected') expect(result).toMatchObject({ retryAfterMs })
  })
})

describe('the relay inside the service', () => {
  let service: TestService
  const relayToken = `phr_${'r'.repeat(43)}`

  beforeAll(async () => {
    service = await startTestService(() => ({ relayToken }))
  })
  afterAll(() => service.stop())

  const asRelay = (method: 'GET' | 'POST', url: string, workspace: string, body?: object) =>
    service.app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${relayToken}`, 'posthorn-workspace': workspace },
      ...(body === undefined ? {} : { payload: body }),
    })

  it('publishes for every workspace, by slug and by id', async () => {
    const ads = await service.workspace('ads')
    const { slug } = await service.workspace('standard')
    for (const ref of [ads.slug, ads.id])
      expect((await asRelay('POST', '/api/v1/events/batch', ref, { events: [ADS_EVENT] })).statusCode).toBe(
        202,
      )
    const path = `/v1/workspaces/${slug}/events/batch`
    expect((await asRelay('POST', path, slug, { events: [STANDARD_EVENT] })).statusCode).toBe(202)
  })

  it('has no other rights', async () => {
    const ads = await service.workspace('ads')
    for (const url of ['/api/v1/events', '/api/v1/webhooks', '/api/v1/webhook-deliveries'])
      expect((await asRelay('GET', url, ads.slug)).statusCode).toBe(403)
    expect((await asRelay('GET', '/admin/v1/workspaces', ads.slug)).statusCode).toBe(401)
  })

  it('reports an unknown workspace', async () => {
    expect(
      (await asRelay('POST', '/api/v1/events/batch', 'unknown', { events: [ADS_EVENT] })).statusCode,
    ).toBe(404)
  })

  it('is identified only by its token', async () => {
    const ads = await service.workspace('ads')
    const response = await service.app.inject({
      method: 'POST',
      url: '/api/v1/events/batch',
      headers: { authorization: `Bearer phr_${'x'.repeat(43)}`, 'posthorn-workspace': ads.slug },
      payload: { events: [ADS_EVENT] },
    })
    expect(response.statusCode).toBe(401)
  })
})
