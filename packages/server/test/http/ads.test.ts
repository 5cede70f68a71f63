import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adsEvent, TARGET } from './events.ts'
import { startTestService, type TestService } from './service.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function withEndpoint(body: object = {}) {
  const ws = await service.workspace('ads')
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, sent?: unknown, key = ws.key) =>
    service.call({ method, url: `/api/v1${url}`, key, body: sent })
  const { status, json } = await call('POST', '/webhooks', { url: TARGET, ...body })
  expect(status).toBe(201)
  return { ws, call, endpoint: json }
}

describe('endpoints of the ads service', () => {
  it('are shown with exactly the documented members, the secret only at creation', async () => {
    const { call, endpoint } = await withEndpoint({ types: ['campaign.created.v1'], description: 'ours' })
    expect(endpoint).toEqual({
      id: expect.stringMatching(UUID),
      url: TARGET,
      types: ['campaign.created.v1'],
      description: 'ours',
      maxPerSecond: null,
      maxInFlight: null,
      warn: null,
      snoozedUntil: null,
      alertedAt: null,
      failingSince: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: endpoint.createdAt,
      signingSecret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      secretOmitted: null,
    })
    const { signingSecret: _, secretOmitted: __, ...shown } = endpoint
    expect((await call('GET', `/webhooks/${endpoint.id}`)).json).toEqual({ ...shown, backlog: null })
    expect((await call('GET', '/webhooks')).json).toEqual({ data: [shown], nextCursor: null })
  })

  it('may be more than 20, and receive all types when they name none', async () => {
    const { call, endpoint } = await withEndpoint()
    expect(endpoint.types).toEqual([])
    for (let i = 0; i < 20; i++) {
      expect((await call('POST', '/webhooks', { url: TARGET, types: [] })).status).toBe(201)
    }
    const first = (await call('GET', '/webhooks')).json
    const second = (await call('GET', `/webhooks?cursor=${first.nextCursor}`)).json
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([20, 1, null])
  })

  it('change, rotate their secret and go away', async () => {
    const { call, endpoint } = await withEndpoint()
    const url = `/webhooks/${endpoint.id}`
    const changed = await call('PATCH', url, { types: ['deal.created.v1'], description: 'new' })
    expect(changed.json).toMatchObject({ url: TARGET, types: ['deal.created.v1'], description: 'new' })
    const rotated = await call('POST', `${url}/rotate-secret`)
    expect(rotated.json.signingSecret).not.toBe(endpoint.signingSecret)
    expect((await call('DELETE', url)).status).toBe(204)
    expect((await call('GET', url)).status).toBe(404)
  })

  it('can be changed only by the key that created them', async () => {
    const { ws, call, endpoint } = await withEndpoint()
    const { key } = await service.key(ws.id)
    const url = `/webhooks/${endpoint.id}`
    expect((await call('GET', url, undefined, key)).status).toBe(200)
    expect((await call('PATCH', url, { types: [] }, key)).json.code).toBe('not_creator')
    expect((await call('DELETE', url, undefined, key)).json.code).toBe('not_creator')
    expect((await call('POST', `${url}/rotate-secret`, undefined, key)).json.code).toBe('not_creator')
  })

  it('reject types that do not exist', async () => {
    const { call } = await withEndpoint()
    const { status, json } = await call('POST', '/webhooks', { url: TARGET, types: ['campaign.create.v1'] })
    expect(status).toBe(422)
    expect(json.errors).toEqual([
      { pointer: '/types/0', message: 'is not an event type; did you mean campaign.created.v1?' },
    ])
  })
})

describe('publishing ads events', () => {
  it('sends exactly the envelope of the contract, its time in UTC', async () => {
    const { ws, call } = await withEndpoint({ url: service.receiver.url })
    const before = service.receiver.requests.length
    const event = adsEvent()
    const { status, json } = await call('POST', '/events', event)
    expect([status, json]).toEqual([202, { id: expect.stringMatching(UUID), repeated: false }])
    await service.recorded(1)
    expect(JSON.parse(String(service.receiver.requests[before]!.body))).toEqual({
      id: json.id,
      type: event.type,
      entityType: 'campaign',
      entityId: event.entityId,
      workspaceId: ws.id,
      payload: event.payload,
      occurredAt: '2026-03-14T09:26:53.000Z',
    })
  })

  it('accepts an id in any letter case as the same', async () => {
    const { call } = await withEndpoint({ types: ['deal.created.v1'] })
    const id = randomUUID()
    const event = adsEvent({ id })
    expect((await call('POST', '/events', event)).json).toEqual({ id, repeated: false })
    const again = { ...event, id: id.toUpperCase() }
    expect((await call('POST', '/events', again)).json).toEqual({ id, repeated: true })
    expect((await call('POST', '/events', { ...event, entityId: randomUUID() })).status).toBe(409)
  })

  it('rejects an entityType that does not belong to the type', async () => {
    const { call } = await withEndpoint({ types: ['deal.created.v1'] })
    const { status, json } = await call('POST', '/events', adsEvent({ entityType: 'creative' }))
    expect(status).toBe(422)
    expect(json.errors).toEqual([
      { pointer: '/entityType', message: 'must be campaign for events of the type campaign.created.v1' },
    ])
  })

  it('rejects numbers beyond the range of a number', async () => {
    const { call } = await withEndpoint({ types: ['deal.created.v1'] })
    for (const huge of ['1e999', '-1e999', '9007199254740993', '0.5']) {
      const body = JSON.stringify(adsEvent()).replace(/"amountMinor":\d+/, `"amountMinor":${huge}`)
      const { status, json } = await call('POST', '/events', body)
      expect([status, json.errors[0].pointer]).toEqual([422, '/payload/budget/amountMinor'])
    }
  })

  it('accepts batches completely or not at all', async () => {
    const { call } = await withEndpoint({ types: ['deal.created.v1'] })
    const id = randomUUID()
    const good = adsEvent({ id })
    const bad = await call('POST', '/events/batch', { events: [good, adsEvent({ payload: { body: 'x' } })] })
    expect(bad.status).toBe(422)
    const { status, json } = await call('POST', '/events/batch', { events: [good, adsEvent()] })
    expect([status, json.events[0], json.events.length]).toEqual([202, { id, repeated: false }, 2])
  })
})

describe('deliveries of the ads service', () => {
  it('are shown in camelCase and replayed once dead', async () => {
    const { call, endpoint } = await withEndpoint({ url: service.receiver.url })
    service.receiver.answer((response) => response.writeHead(503).end())
    const before = service.receiver.requests.length
    const { id: eventId } = (await call('POST', '/events', adsEvent())).json
    await service.recorded(1)
    const id = service.receiver.requests[before]!.headers['x-service-delivery']
    const dead = (await call('GET', `/webhook-deliveries/${id}`)).json
    expect(dead).toEqual({
      id,
      webhookId: endpoint.id,
      eventId,
      eventType: 'campaign.created.v1',
      status: 'dead',
      cancelReason: null,
      attempts: [
        {
          number: 1,
          trigger: 'schedule',
          startedAt: expect.any(String),
          durationMs: expect.any(Number),
          statusCode: 503,
          error: { code: 'http_status', message: expect.any(String) },
          cause: 'receiver',
          response: { contentType: null, body: '', bodyEncoding: 'utf-8' },
          request: { method: 'POST', url: service.receiver.url, headers: expect.any(Object) },
        },
      ],
      nextAttemptAt: null,
      waitingFor: null,
      createdAt: expect.any(String),
      finishedAt: expect.any(String),
      requestBody: service.receiver.requests[before]!.body.toString(),
    })
    const failingSince = async () => (await call('GET', `/webhooks/${endpoint.id}`)).json.failingSince
    expect(await failingSince()).toEqual(expect.stringMatching(/Z$/))
    service.receiver.answer((response) => response.end())
    const replay = await call('POST', `/webhook-deliveries/${id}/replay`)
    expect([replay.status, replay.json.status, replay.json.id]).toEqual([202, 'pending', id])
    await service.recorded(1)
    const after = (await call('GET', `/webhook-deliveries/${id}`)).json
    expect([after.status, after.attempts[1].trigger]).toEqual(['delivered', 'replay'])
    expect(await failingSince()).toBeNull()
    const again = await call('POST', `/webhook-deliveries/${id}/replay`)
    expect([again.status, again.json.code]).toEqual([409, 'delivery_not_dead'])
  })

  it('are not found from another workspace', async () => {
    const { call } = await withEndpoint({ url: service.receiver.url })
    const before = service.receiver.requests.length
    await call('POST', '/events', adsEvent())
    await service.recorded(1)
    const id = service.receiver.requests[before]!.headers['x-service-delivery']
    const other = await service.workspace('ads')
    for (const path of [id, `${id}/replay`, randomUUID(), 'nonsense', '%00']) {
      const method = String(path).endsWith('replay') ? 'POST' : 'GET'
      const { status } = await call(method, `/webhook-deliveries/${path}`, undefined, other.key)
      expect(status).toBe(404)
    }
  })
})
