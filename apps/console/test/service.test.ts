import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Service } from '../src/model/service.ts'
import { description } from './descriptions/index.ts'

const ORIGIN = 'https://posthorn.test'
const AT = '2026-01-01T00:00:00.000Z'

vi.stubGlobal('window', { location: { origin: ORIGIN, pathname: '/' } })
const { serviceOf } = await import('../src/api/service.ts')

interface Seen {
  readonly line: string
  readonly workspace: string | null
  readonly body: unknown
}

let seen: Seen[]
let answer: unknown
beforeEach(() => {
  seen = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const text = await request.text()
    seen.push({
      line: `${request.method} ${request.url.slice(ORIGIN.length)}`,
      workspace: request.headers.get('posthorn-workspace'),
      body: text === '' ? null : JSON.parse(text),
    })
    return new Response(JSON.stringify(answer), { headers: { etag: '"1"', 'ratelimit-remaining': '9' } })
  })
})

const attempt = (json: object) => ({ number: 1, trigger: 'schedule', error: null, cause: null, ...json })
const SNAKE = {
  webhook: {
    id: 'wh_1',
    url: 'https://a.example.com/',
    events: ['plan.ready'],
    description: '',
    status: 'off',
    off_reason: 'gone',
    failing_since: null,
    created_at: AT,
    updated_at: AT,
    warn: null,
    signing_secret: 'whsec_1',
  },
  delivery: {
    id: 'dlv_1',
    webhook_id: 'wh_1',
    next_attempt_at: null,
    attempts: [
      attempt({
        status_code: 200,
        response: { content_type: 'text/plain', body: 'ok', body_encoding: 'utf-8' },
        request: { url: 'https://a.example.com/', headers: { x_kept: '1' } },
      }),
    ],
    request_body: '{}',
  },
}
const CAMEL = {
  webhook: {
    id: '01a0',
    url: 'https://a.example.com/',
    types: [],
    description: '',
    createdAt: AT,
    updatedAt: AT,
    failingSince: null,
    warn: { afterFailures: 3, share: null, afterMinutes: 10 },
    signingSecret: 's',
  },
  delivery: { id: '01d0', webhookId: '01a0', nextAttemptAt: null, attempts: [attempt({ response: null })] },
}

describe('a service with snake case under workspace paths', () => {
  const service = (): Service => serviceOf('ws_1', description('content'))

  it('reads webhooks with their state, and no secret', async () => {
    answer = { data: [SNAKE.webhook], next_cursor: 'more' }
    const page = await service().listWebhooks({ cursor: 'c 1' })
    expect(seen).toEqual([
      { line: 'GET /v1/workspaces/ws_1/webhooks?limit=100&cursor=c+1', workspace: null, body: null },
    ])
    expect(page).toEqual({
      items: [
        {
          id: 'wh_1',
          url: 'https://a.example.com/',
          eventTypes: ['plan.ready'],
          description: '',
          state: { kind: 'off', reason: 'gone' },
          warn: null,
          createdAt: AT,
          updatedAt: AT,
        },
      ],
      nextCursor: 'more',
    })
  })

  it('writes the event types under its own field name', async () => {
    answer = SNAKE.webhook
    const limit = { maxPerSecond: 0.5, maxInFlight: null }
    const input = { url: 'https://a.example.com/', eventTypes: ['plan.ready'], description: 'x', ...limit }
    const made = await service().createWebhook({ input, idempotencyKey: 'k' })
    expect(made.secret).toBe('whsec_1')
    await service().updateWebhook({ id: 'wh_1', changes: { paused: true }, etag: '"1"' })
    await service().rotateSecret({ id: 'wh_1', idempotencyKey: 'k' })
    expect(seen.map(({ line, body }) => [line, body])).toEqual([
      [
        'POST /v1/workspaces/ws_1/webhooks',
        {
          ...{ url: 'https://a.example.com/', events: ['plan.ready'], description: 'x' },
          ...{ max_per_second: 0.5, max_in_flight: null },
        },
      ],
      ['PATCH /v1/workspaces/ws_1/webhooks/wh_1', { paused: true }],
      ['POST /v1/workspaces/ws_1/webhooks/wh_1/rotate-secret', null],
    ])
  })

  it('counts and recovers with the same filter', async () => {
    answer = { id: 'rpl_1', missed: { count: 0, has_more: false }, created_at: AT }
    const filter = { since: AT, until: AT, status: ['canceled'], types: ['plan.ready'] } as const
    await service().countRecoverable({ id: 'wh_1', filter })
    expect(await service().recover({ id: 'wh_1', filter, idempotencyKey: 'k' })).toMatchObject({
      createdAt: AT,
    })
    const line = 'POST /v1/workspaces/ws_1/webhooks/wh_1/recover'
    expect(seen).toMatchObject([
      { line, body: { ...filter, dry_run: true } },
      { line, body: filter },
    ])
  })

  it('reads deliveries, and leaves the headers of requests unchanged', async () => {
    answer = SNAKE.delivery
    const delivery = await service().getDelivery({ webhookId: 'wh_1', id: 'dlv_1' })
    expect(delivery).toMatchObject({ webhookId: 'wh_1', nextAttemptAt: null, requestBody: '{}' })
    expect(delivery.attempts[0]).toMatchObject({
      statusCode: 200,
      response: { contentType: 'text/plain', bodyEncoding: 'utf-8' },
      request: { headers: { x_kept: '1' } },
    })
    expect(await service().resend({ webhookId: 'wh_1', id: 'dlv_1' })).toMatchObject({ remaining: 9 })
    answer = { data: [], next_cursor: null }
    const filter = { webhookId: 'wh_1', eventType: 'plan.ready', statusCode: '5xx', from: AT }
    await service().listDeliveries({ filter, cursor: null, limit: 50 })
    expect(seen.map(({ line }) => line)).toEqual([
      'GET /v1/workspaces/ws_1/webhooks/wh_1/deliveries/dlv_1',
      'POST /v1/workspaces/ws_1/webhooks/wh_1/deliveries/dlv_1/redeliver',
      `GET /v1/workspaces/ws_1/deliveries?limit=50&webhook_id=wh_1&event_type=plan.ready&status_code=5xx&from=${encodeURIComponent(AT)}`,
    ])
  })
})

describe('a service with camel case under flat paths', () => {
  const service = (): Service => serviceOf('01b0', description('ads'))

  it('sends the workspace in a header', async () => {
    answer = { data: [CAMEL.webhook], nextCursor: null }
    const { items } = await service().listWebhooks({ cursor: null })
    expect(seen).toEqual([{ line: 'GET /api/v1/webhooks?limit=100', workspace: '01b0', body: null }])
    expect(items[0]).toMatchObject({ eventTypes: [], state: { kind: 'on' } })
  })

  it('lists deliveries outside of webhooks, and replays them', async () => {
    answer = CAMEL.delivery
    expect(await service().getDelivery({ webhookId: '01a0', id: '01d0' })).toMatchObject({
      requestBody: null,
    })
    await service().resend({ webhookId: '01a0', id: '01d0' })
    answer = { total: 2, hasMore: true }
    const filter = { webhookId: '01a0', eventType: undefined, from: AT, to: undefined }
    expect(await service().countReplayable(filter)).toEqual({ total: 2, hasMore: true })
    answer = { id: '01c0' }
    await service().startReplay({ filter, idempotencyKey: 'k' })
    await service().getReplay({ id: '01c0' })
    expect(seen.map(({ line, body }) => [line, body])).toEqual([
      ['GET /api/v1/webhook-deliveries/01d0', null],
      ['POST /api/v1/webhook-deliveries/01d0/replay', null],
      ['POST /api/v1/webhook-deliveries/replay', { webhookId: '01a0', from: AT, dryRun: true }],
      ['POST /api/v1/webhook-deliveries/replay', { webhookId: '01a0', from: AT }],
      ['GET /api/v1/webhook-deliveries/replays/01c0', null],
    ])
  })
})

describe('any other profile', () => {
  it('mixes case and paths', async () => {
    answer = { total: 0, has_more: false }
    const ads = description('ads')
    const words = { ...ads.words, types: 'events' as const }
    const service = serviceOf('ws_1', { ...ads, case: 'snake', words })
    await service.countReplayable({ webhookId: 'x' })
    answer = SNAKE.webhook
    await service.updateWebhook({ id: 'x', changes: { eventTypes: [] }, etag: null })
    expect(seen.map(({ line, body }) => [line, body])).toEqual([
      ['POST /api/v1/webhook-deliveries/replay', { webhook_id: 'x', dry_run: true }],
      ['PATCH /api/v1/webhooks/x', { events: [] }],
    ])
  })

  it("reports problems in the service's own field names", async () => {
    const problem = { code: 'invalid_request', title: 'Invalid', detail: 'No.', errors: [], request_id: 'r' }
    vi.stubGlobal('fetch', async () => new Response(JSON.stringify(problem), { status: 422 }))
    const service = serviceOf('ws_1', description('standard'))
    await expect(service.sendTest({ type: null, id: 'x' })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_request',
    })
    vi.stubGlobal('fetch', async () => new Response('<html>', { status: 502 }))
    await expect(service.deleteWebhook({ id: 'x' })).rejects.toMatchObject({ status: 502 })
  })
})
