import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contentEvent, TARGET } from './events.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

const thanks = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/plain' }).end('thanks')

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

async function withWebhook(url: string = TARGET, body: object = {}) {
  const ws = await service.workspace('content')
  const base = `/v1/workspaces/${ws.slug}`
  const { status, json } = await service.call({
    method: 'POST',
    url: `${base}/webhooks`,
    key: ws.key,
    body: { url, events: ['version.approved'], ...body },
  })
  expect(status).toBe(201)
  const webhookUrl = `${base}/webhooks/${json.id}`
  const get = (path: string) => service.call({ method: 'GET', url: webhookUrl + path, key: ws.key })
  const post = (path: string) => service.call({ method: 'POST', url: webhookUrl + path, key: ws.key })
  const patch = (changes: unknown, key = ws.key) =>
    service.call({ method: 'PATCH', url: webhookUrl, key, body: changes })
  return { ws, base, webhook: json, webhookUrl, get, post, patch }
}

const publish = (ws: TestWorkspace, body: unknown = contentEvent()) =>
  service.call({ method: 'POST', url: `/v1/workspaces/${ws.slug}/events`, key: ws.key, body })

describe('webhooks of the content service', () => {
  it('are shown with exactly the documented members, the secret only at creation', async () => {
    const { ws, webhook, get, base } = await withWebhook(TARGET, { description: 'ours' })
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url: TARGET,
      events: ['version.approved'],
      description: 'ours',
      enabled: true,
      status: 'on',
      off_reason: null,
      failing_since: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: webhook.created_at,
      created_by: { type: 'key', id: ws.keyId },
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const { signing_secret: _, ...shown } = webhook
    expect((await get('')).json).toEqual(shown)
    const list = await service.call({ method: 'GET', url: `${base}/webhooks`, key: ws.key })
    expect(list.json).toEqual({ data: [shown], next_cursor: null })
  })

  it('are reached under the slug and the id of the workspace alike', async () => {
    const { ws, webhook } = await withWebhook()
    const url = `/v1/workspaces/${ws.id}/webhooks/${webhook.id}`
    expect((await service.call({ method: 'GET', url, key: ws.key })).json.id).toBe(webhook.id)
  })

  it('are at most 20 in a workspace', async () => {
    const { ws, base } = await withWebhook()
    const body = { url: TARGET, events: ['plan.ready'] }
    for (let i = 1; i < 20; i++) {
      const made = await service.call({ method: 'POST', url: `${base}/webhooks`, key: ws.key, body })
      expect(made.status).toBe(201)
    }
    const { status, json } = await service.call({
      method: 'POST',
      url: `${base}/webhooks`,
      key: ws.key,
      body,
    })
    expect([status, json.code]).toEqual([409, 'webhook_limit_reached'])
  })

  it('are listed in pages, newest first, undisturbed by new ones', async () => {
    const { ws, base, webhook: oldest } = await withWebhook()
    const create = async () =>
      service.call({
        method: 'POST',
        url: `${base}/webhooks`,
        key: ws.key,
        body: { url: TARGET, events: ['plan.ready'] },
      })
    const ids = [oldest.id]
    for (let i = 0; i < 4; i++) ids.unshift((await create()).json.id)
    const list = (query: string) =>
      service.call({ method: 'GET', url: `${base}/webhooks?limit=2${query}`, key: ws.key })
    const first = (await list('')).json
    await create()
    const second = (await list(`&cursor=${first.next_cursor}`)).json
    const third = (await list(`&cursor=${second.next_cursor}`)).json
    const seen = [...first.data, ...second.data, ...third.data].map(({ id }) => id)
    expect(seen).toEqual(ids)
    expect(third.next_cursor).toBeNull()
  })

  it('change in the members that are sent, and in no others', async () => {
    const { webhook, patch, get } = await withWebhook()
    const { status, json } = await patch({ url: 'https://other.example.com', events: ['plan.saved'] })
    expect(status).toBe(200)
    const expected = { ...webhook, url: 'https://other.example.com/', events: ['plan.saved'] }
    delete expected.signing_secret
    expect({ ...json, updated_at: webhook.updated_at }).toEqual(expected)
    expect((await get('')).json).toEqual(json)
  })

  it('are turned off and on with enabled', async () => {
    const { patch } = await withWebhook()
    const shown = ({ json }: { json: Record<string, unknown> }) => [
      json.enabled,
      json.status,
      json.off_reason,
    ]
    expect(shown(await patch({ enabled: false }))).toEqual([false, 'off', 'manual'])
    expect(shown(await patch({ enabled: true }))).toEqual([true, 'on', null])
    expect(shown(await patch({ paused: true }))).toEqual([true, 'paused', null])
    expect(shown(await patch({ enabled: true }))).toEqual([true, 'paused', null])
    expect(shown(await patch({ paused: false }))).toEqual([true, 'on', null])
    expect(shown(await patch({ enabled: false, paused: false }))).toEqual([false, 'off', 'manual'])
    expect(shown(await patch({ enabled: true, paused: true }))).toEqual([true, 'paused', null])
  })

  it('refuse to be paused while off, and to be off and paused at once', async () => {
    const { patch } = await withWebhook()
    const both = await patch({ enabled: false, paused: true })
    expect([both.status, both.json.errors[0].pointer]).toEqual([422, '/paused'])
    await patch({ enabled: false })
    for (const paused of [true, false]) {
      const { status, json } = await patch({ paused })
      expect([status, json.code]).toEqual([409, 'webhook_not_on'])
    }
  })

  it('stay paused after a suspension when they were paused during it', async () => {
    const { ws, patch, get } = await withWebhook()
    await service.admin('POST', `/workspaces/${ws.id}/suspend`)
    expect((await get('')).json.status).toBe('paused')
    await patch({ paused: true })
    await service.admin('POST', `/workspaces/${ws.id}/resume`)
    expect((await get('')).json.status).toBe('paused')
  })

  it('are gone after DELETE', async () => {
    const { ws, webhookUrl, get } = await withWebhook()
    const answer = await service.call({ method: 'DELETE', url: webhookUrl, key: ws.key })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await get('')).status).toBe(404)
    expect((await get('/deliveries')).status).toBe(404)
    expect((await service.call({ method: 'DELETE', url: webhookUrl, key: ws.key })).status).toBe(404)
  })

  it('get another secret with rotate-secret, shown once', async () => {
    const { webhook, post, get } = await withWebhook()
    const { status, json } = await post('/rotate-secret')
    expect(status).toBe(200)
    expect(json.signing_secret).toMatch(/^whsec_/)
    expect(json.signing_secret).not.toBe(webhook.signing_secret)
    expect((await get('')).text).not.toContain('whsec_')
  })
})

describe('the creator of a webhook', () => {
  it('alone may change and remove it; any key of the workspace may read and test it', async () => {
    const { ws, webhookUrl, patch } = await withWebhook(service.receiver.url)
    const other = await service.key(ws.id)
    const as = (method: 'GET' | 'POST' | 'DELETE', path = '') =>
      service.call({ method, url: webhookUrl + path, key: other.key })
    expect((await as('GET')).status).toBe(200)
    expect((await as('GET', '/deliveries')).status).toBe(200)
    expect((await as('POST', '/test')).status).toBe(202)
    await service.recorded(1)
    for (const refused of [
      await patch({ description: 'mine' }, other.key),
      await as('DELETE'),
      await as('POST', '/rotate-secret'),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([403, 'not_creator'])
    }
  })
})

describe('publishing content events', () => {
  it('sends exactly the envelope of the contract', async () => {
    const { ws } = await withWebhook(service.receiver.url)
    const before = service.receiver.requests.length
    const event = contentEvent({ id: 'evt_mine-1' })
    const { status, json } = await publish(ws, event)
    expect([status, json]).toEqual([202, { id: 'evt_mine-1', repeated: false }])
    await service.recorded(1)
    expect(JSON.parse(String(service.receiver.requests[before]!.body))).toEqual({
      type: 'version.approved',
      timestamp: '2026-03-14T09:26:53.589Z',
      data: {
        workspace: { id: ws.id, slug: ws.slug, name: `The ${ws.slug}` },
        actor_id: 'usr_01',
        links: event.links,
        ...event.data,
      },
    })
  })

  it('takes a repeat under the same id for the same event, whatever the order of its members', async () => {
    const ws = await service.workspace('content')
    const event = contentEvent({ id: 'evt_again' })
    await publish(ws, event)
    const reordered = Object.fromEntries(Object.entries(event).reverse())
    const sameInstant = { ...reordered, timestamp: '2026-03-14T10:26:53.589+01:00' }
    expect((await publish(ws, sameInstant)).json).toEqual({ id: 'evt_again', repeated: true })
  })

  it('refuses another event under an id that is taken', async () => {
    const ws = await service.workspace('content')
    await publish(ws, contentEvent({ id: 'evt_taken' }))
    const { status, json } = await publish(ws, contentEvent({ id: 'evt_taken', actor_id: 'usr_02' }))
    expect([status, json.code, json.errors[0].pointer]).toEqual([409, 'event_id_conflict', '/id'])
  })

  it('takes a batch of 1,000 and answers in its order', async () => {
    const ws = await service.workspace('content')
    const events = Array.from({ length: 1000 }, (_, i) => contentEvent({ id: `evt_b${i}` }))
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const { status, json } = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect(status).toBe(202)
    expect(json.events.map(({ id }: { id: string }) => id)).toEqual(events.map((_, i) => `evt_b${i}`))
  })

  it('stores nothing of a batch that is half bad, and names every mistake in it', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const good = contentEvent({ id: 'evt_half' })
    const events = [good, contentEvent({ type: 'version.aproved' }), { ...good, id: 'no', extra: 1 }]
    const refused = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect(refused.status).toBe(422)
    const pointers = refused.json.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers.sort()).toEqual(['/events/1/type', '/events/2/extra', '/events/2/id'])
    expect(JSON.stringify(refused.json)).toContain('did you mean version.approved?')
    expect((await publish(ws, good)).json).toEqual({ id: 'evt_half', repeated: false })
  })

  it('refuses a batch whose events disagree about one id', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/events/batch`
    const events = [contentEvent({ id: 'evt_twice' }), contentEvent({ id: 'evt_twice', actor_id: 'usr_09' })]
    const { status, json } = await service.call({ method: 'POST', url, key: ws.key, body: { events } })
    expect([status, json.errors?.[0].pointer]).toEqual([409, '/events/1/id'])
  })
})

describe('samples', () => {
  it('are made up with the real workspace until there are real events, then those, newest first', async () => {
    const ws = await service.workspace('content')
    const url = `/v1/workspaces/${ws.slug}/webhooks/sample?event=version.approved`
    const sample = () => service.call({ method: 'GET', url, key: ws.key })
    const before = (await sample()).json
    expect(before.source).toBe('example')
    expect(before.samples).toHaveLength(1)
    expect(before.samples[0].data.workspace).toEqual({
      id: ws.id,
      slug: ws.slug,
      name: `The ${ws.slug}`,
    })
    for (const actor of ['a', 'b', 'c', 'd']) await publish(ws, contentEvent({ actor_id: actor }))
    const after = (await sample()).json
    expect(after.source).toBe('real')
    expect(after.samples.map((s: { data: { actor_id: string } }) => s.data.actor_id)).toEqual(['d', 'c', 'b'])
    expect(Object.keys(after.samples[0])).toEqual(['type', 'timestamp', 'data'])
  })

  it('exist for webhook.test too, and not for types that do not exist', async () => {
    const ws = await service.workspace('content')
    const get = (event: string) =>
      service.call({ method: 'GET', url: `/v1/workspaces/${ws.slug}/webhooks/sample${event}`, key: ws.key })
    expect((await get('?event=webhook.test')).json.samples[0].type).toBe('webhook.test')
    const unknown = await get('?event=plan.redy')
    expect([unknown.status, unknown.json.errors[0].pointer]).toEqual([422, '/event'])
    expect((await get('')).status).toBe(422)
  })
})

describe('tests, the log and redeliveries', () => {
  it('show a test in the log with its attempt', async () => {
    const { post, get } = await withWebhook(service.receiver.url)
    const test = await post('/test')
    expect(test.status).toBe(202)
    expect(test.json).toMatchObject({ event_type: 'webhook.test', status: 'pending', attempts: [] })
    await service.recorded(1)
    const log = (await get('/deliveries')).json
    expect(log.next_cursor).toBeNull()
    expect(log.data).toHaveLength(1)
    expect(log.data[0]).toEqual({
      id: test.json.id,
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'webhook.test',
      status: 'delivered',
      attempts: [
        {
          number: 1,
          trigger: 'test',
          started_at: expect.any(String),
          duration_ms: expect.any(Number),
          status_code: 200,
          error: null,
          response: { content_type: 'text/plain', body: 'thanks', body_encoding: 'utf-8' },
        },
      ],
      next_attempt_at: null,
      created_at: expect.any(String),
      finished_at: expect.any(String),
    })
    expect((await get(`/deliveries/${test.json.id}`)).json).toEqual(log.data[0])
  })

  it('keep response bodies that are not UTF-8', async () => {
    const { post, get } = await withWebhook(service.receiver.url)
    const bytes = Buffer.from([0xff, 0x00, 0xfe])
    service.receiver.answer((response) => response.writeHead(500).end(bytes))
    const { json } = await post('/test')
    await service.recorded(1)
    service.receiver.answer(thanks)
    const [attempt] = (await get(`/deliveries/${json.id}`)).json.attempts
    expect(attempt.error.code).toBe('http_status')
    expect(attempt.response).toEqual({
      content_type: null,
      body: bytes.toString('base64'),
      body_encoding: 'base64',
    })
  })

  it('redeliver a finished delivery as a further attempt with the same bytes', async () => {
    const { ws, post, get } = await withWebhook(service.receiver.url)
    const before = service.receiver.requests.length
    await publish(ws)
    await service.recorded(1)
    const [delivery] = (await get('/deliveries')).json.data
    const again = await post(`/deliveries/${delivery.id}/redeliver`)
    expect([again.status, again.json.id, again.json.status]).toEqual([202, delivery.id, 'pending'])
    await service.recorded(1)
    const { attempts } = (await get(`/deliveries/${delivery.id}`)).json
    expect(attempts.map(({ trigger }: { trigger: string }) => trigger)).toEqual(['schedule', 'redeliver'])
    const [first, second] = service.receiver.requests.slice(before)
    expect(second!.body).toEqual(first!.body)
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
  })

  it('refuse tests and redeliveries of a webhook that is off or paused, and of a pending delivery', async () => {
    const { ws, post, patch, get } = await withWebhook(service.receiver.url)
    await publish(ws)
    await service.recorded(1)
    const [delivery] = (await get('/deliveries')).json.data
    for (const change of [{ paused: true }, { enabled: false }]) {
      await patch(change)
      expect((await post('/test')).json.code).toBe('webhook_not_on')
      expect((await post(`/deliveries/${delivery.id}/redeliver`)).json.code).toBe('webhook_not_on')
    }
    await patch({ enabled: true })
    const arrived = new Promise<ServerResponse>((resolve) => service.receiver.answer(resolve))
    const test = await post('/test')
    const response = await arrived
    const pending = await post(`/deliveries/${test.json.id}/redeliver`)
    expect([pending.status, pending.json.code]).toEqual([409, 'delivery_not_finished'])
    service.receiver.answer(thanks)
    thanks(response)
    await service.recorded(1)
  })

  it('share a limit of 10 per minute', async () => {
    const { post } = await withWebhook(service.receiver.url)
    for (let i = 0; i < 10; i++) expect((await post('/test')).status).toBe(202)
    const { status, json, headers } = await post('/test')
    expect([status, json.code]).toEqual([429, 'rate_limited'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    await service.recorded(10)
  })

  it('find a delivery only under its own webhook', async () => {
    const { ws, base, get, post } = await withWebhook(service.receiver.url)
    const test = await post('/test')
    await service.recorded(1)
    const other = await service.call({
      method: 'POST',
      url: `${base}/webhooks`,
      key: ws.key,
      body: { url: TARGET, events: ['plan.ready'] },
    })
    const elsewhere = `${base}/webhooks/${other.json.id}/deliveries/${test.json.id}`
    expect((await service.call({ method: 'GET', url: elsewhere, key: ws.key })).status).toBe(404)
    expect((await get('/deliveries/dlv_nonsense')).status).toBe(404)
  })

  it('take no cursor of another list', async () => {
    const { ws, base, post, get } = await withWebhook(service.receiver.url)
    for (let i = 0; i < 2; i++) await post('/test')
    await service.recorded(2)
    const { next_cursor } = (await get('/deliveries?limit=1')).json
    expect(next_cursor).toEqual(expect.any(String))
    expect((await get(`/deliveries?cursor=${next_cursor}`)).json.data).toHaveLength(1)
    for (const cursor of [next_cursor, 'AAAA', '%00', '1'.repeat(5000)]) {
      const url = `${base}/webhooks?cursor=${cursor}`
      expect((await service.call({ method: 'GET', url, key: ws.key })).status).toBe(422)
    }
  })
})
