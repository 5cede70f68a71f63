import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publish, thanks, withWebhook } from './content.ts'
import { TARGET } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

describe('tests, the log and redeliveries', () => {
  it('show a test in the log with its attempt', async () => {
    const { webhook, post, get } = await withWebhook(service, service.receiver.url)
    const test = await post('/test')
    expect(test.status).toBe(202)
    expect(test.json).toMatchObject({ event_type: 'webhook.test', status: 'pending', attempts: [] })
    await service.recorded(1)
    const log = (await get('/deliveries')).json
    expect(log.next_cursor).toBeNull()
    expect(log.data).toHaveLength(1)
    expect(log.data[0]).toEqual({
      id: test.json.id,
      webhook_id: webhook.id,
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'webhook.test',
      status: 'delivered',
      cancel_reason: null,
      attempts: [
        {
          number: 1,
          trigger: 'test',
          started_at: expect.any(String),
          duration_ms: expect.any(Number),
          status_code: 200,
          error: null,
          cause: null,
          response: { content_type: 'text/plain', body: 'thanks', body_encoding: 'utf-8' },
        },
      ],
      next_attempt_at: null,
      waiting_for: null,
      created_at: expect.any(String),
      finished_at: expect.any(String),
    })
    const [received] = service.receiver.requests.slice(-1)
    const { attempts, request_body: body, ...rest } = (await get(`/deliveries/${test.json.id}`)).json
    const { attempts: listed, ...members } = log.data[0]
    expect(rest).toEqual(members)
    const { request, ...attempt } = attempts[0]
    expect(attempt).toEqual(listed[0])
    // The log shows the received request, byte for byte.
    const { connection: _, ...headers } = received!.headers
    expect(request).toEqual({ method: 'POST', url: webhook.url, headers })
    expect(body).toBe(received!.body.toString())
  })

  it('keep response bodies that are not UTF-8', async () => {
    const { post, get } = await withWebhook(service, service.receiver.url)
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
    const { ws, post, get } = await withWebhook(service, service.receiver.url)
    const before = service.receiver.requests.length
    await publish(service, ws)
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

  it('reject tests and redeliveries of a disabled or paused webhook, and of a pending delivery', async () => {
    const { ws, post, patch, get } = await withWebhook(service, service.receiver.url)
    await publish(service, ws)
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

  it('share a limit of 10 per minute, and the error says when it ends', async () => {
    const { post } = await withWebhook(service, service.receiver.url)
    const { json: first } = await post('/test')
    await service.recorded(1)
    const redeliver = () => post(`/deliveries/${first.id}/redeliver`)
    for (let left = 8; left >= 0; left--) {
      service.clock.forwardCalendar(5000)
      const { status, headers } = await (left % 2 === 0 ? post('/test') : redeliver())
      expect([status, headers['ratelimit-remaining']]).toEqual([202, String(left)])
      await service.recorded(1)
    }
    for (const refused of [await post('/test'), await redeliver()]) {
      expect([refused.status, refused.json.code]).toEqual([429, 'rate_limited'])
      // The first of the ten was made some 45 seconds ago, the second 5 seconds later.
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(10)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(15)
    }
    const other = await withWebhook(service, service.receiver.url)
    expect((await other.post('/test')).status).toBe(202)
    service.clock.forwardCalendar(15_000)
    const { status, headers } = await redeliver()
    expect([status, headers['ratelimit-remaining']]).toEqual([202, '0'])
    await service.recorded(2)
  })

  it('find a delivery only under its own webhook', async () => {
    const { ws, base, get, post } = await withWebhook(service, service.receiver.url)
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

  it('accept no cursor of another list', async () => {
    const { ws, base, post, get } = await withWebhook(service, service.receiver.url)
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
