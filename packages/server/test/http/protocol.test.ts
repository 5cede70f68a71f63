import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StoppingError } from '../../src/engine/engine.ts'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { contentEvent } from './events.ts'
import { sendRaw } from './rawRequest.ts'
import { startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let ws: TestWorkspace
let failWith: Error | null = null
let metricsTakeMs = 0
beforeAll(async () => {
  service = await startTestService(({ engine, metricsText }) => ({
    metricsText: async () => {
      if (metricsTakeMs > 0) await new Promise((resolve) => setTimeout(resolve, metricsTakeMs))
      return metricsText()
    },
    engine: new Proxy(engine, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        // Reads from memory do not fail.
        const fails = () => failWith !== null && name !== 'quotaExceeded'
        return (...args: unknown[]) => (fails() ? Promise.reject(failWith) : value.apply(target, args))
      },
    }),
  }))
  ws = await service.workspace('content')
})
afterAll(() => service.stop())

const publish = (headers: Readonly<Record<string, string>> = {}) =>
  service.call({
    method: 'POST',
    url: `/v1/workspaces/${ws.slug}/events`,
    key: ws.key,
    body: contentEvent(),
    headers,
  })

async function failing<T>(error: Error, run: () => Promise<T>): Promise<T> {
  failWith = error
  try {
    return await run()
  } finally {
    failWith = null
  }
}

describe('problem documents', () => {
  it('have all members of RFC 9457 and of this API', async () => {
    const { status, headers, json } = await service.call({ method: 'GET', url: '/nowhere' })
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/problem+json')
    expect(json).toEqual({
      type: 'urn:posthorn:problem:route_not_found',
      title: 'Route not found',
      status: 404,
      detail: expect.any(String),
      code: 'route_not_found',
      request_id: headers['x-request-id'],
    })
  })

  it('answer a path that cannot be decoded', async () => {
    const { status, json, headers } = await service.call({
      method: 'GET',
      url: '/v1/workspaces/%zz/webhooks',
    })
    expect([status, json.code]).toEqual([400, 'malformed_request'])
    expect(headers['x-request-id']).toBe(json.request_id)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  it('reveal nothing about internal failures', async () => {
    const error = new Error('SQLITE_CORRUPT at /var/lib/secret')
    const { status, text, json } = await failing(error, () => publish())
    expect([status, json.code]).toEqual([500, 'internal_error'])
    expect(text).not.toMatch(/SQLITE|secret|stack/)
    expect(service.logs.at(-1)).toContain('SQLITE_CORRUPT')
    expect(service.logs.at(-1)).toContain(json.request_id)
  })

  it.each([
    ['store_unavailable', new StoreUnavailableError('disk full')],
    ['stopping', new StoppingError('this node is stopping')],
  ])('ask to retry later: %s', async (code, error) => {
    const { status, json, headers } = await failing(error, () => publish())
    expect([status, json.code]).toEqual([503, code])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  it.each([
    ['what is not even HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'a request without a Host',
      'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'an expectation that is not met',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ])('answer %s', async (_, text, status, code) => {
    const { head, body } = await sendRaw(service, text)
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head).toContain('application/problem+json')
    expect(head).toContain('cache-control: no-store')
    expect(JSON.parse(body)).toMatchObject({ status, code })
  })

  it('have no body in the answer to HEAD, even when it is not HTTP', async () => {
    const { head, body } = await sendRaw(service, 'HEAD /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    expect(body).toBe('')
  })

  it('treat an empty body without a type as none, however it is framed', async () => {
    const head = `POST /v1/workspaces/${ws.slug}/webhooks/none/test HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ws.key}\r\n`
    const chunked = `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
    expect((await sendRaw(service, `${chunked}0\r\n\r\n`)).head).toMatch(/^HTTP\/1\.1 404 /)
    expect((await sendRaw(service, `${chunked}2\r\n{}\r\n0\r\n\r\n`)).head).toMatch(/^HTTP\/1\.1 415 /)
  })
})

describe('the request id', () => {
  it('is the caller’s own if it is valid', async () => {
    const id = 'trace-1.2_A'
    const { headers } = await service.call({
      method: 'GET',
      url: '/healthz',
      headers: { 'x-request-id': id },
    })
    expect(headers['x-request-id']).toBe(id)
  })

  it.each(['', 'a b', 'a'.repeat(129), 'ä', '{}', '"', 'a,b'])('is a new one instead of %j', async (id) => {
    const { headers } = await service.call({
      method: 'GET',
      url: '/healthz',
      headers: { 'x-request-id': id },
    })
    expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{12}_[0-9a-z]+$/)
  })

  it('differs for each request', async () => {
    const ids = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await service.call({ method: 'GET', url: '/x' })).json.request_id,
      ),
    )
    expect(new Set(ids).size).toBe(20)
  })
})

describe('operations', () => {
  it('are alive, ready and measured', async () => {
    expect((await service.call({ method: 'GET', url: '/healthz' })).json).toEqual({ status: 'ok' })
    expect((await service.call({ method: 'GET', url: '/readyz' })).json).toEqual({ status: 'ready' })
    const metrics = await service.call({ method: 'GET', url: '/metrics' })
    expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(metrics.text).toContain('posthorn_up 1\n')
  })

  it('are not ready when a publish would not be accepted', async () => {
    const readyz = () => service.call({ method: 'GET', url: '/readyz' })
    for (const [error, code] of [
      [new Error('no lease'), 'not_ready'],
      [new StoreUnavailableError('gone'), 'store_unavailable'],
      [new StoppingError('bye'), 'stopping'],
    ] as const) {
      const { status, json, headers } = await failing(error, readyz)
      expect([status, json.code, headers['retry-after']]).toEqual([503, code, '5'])
    }
    expect((await readyz()).status).toBe(200)
  })
})

it('the error for a large body reaches its sender, who is still sending', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024, ' ')
  const headers = { authorization: `Bearer ${ws.key}`, 'content-type': 'application/json' }
  for (let i = 0; i < 10; i++) {
    const url = `${service.base}/v1/workspaces/${ws.slug}/events/batch`
    const response = await fetch(url, { method: 'POST', headers, body })
    expect([response.status, await response.json()]).toMatchObject([413, { code: 'payload_too_large' }])
  }
})

it('every response may not be cached and is not sniffed', async () => {
  const answers = await Promise.all([
    publish(),
    service.call({ method: 'GET', url: '/healthz' }),
    service.call({ method: 'GET', url: '/nowhere' }),
    service.admin('GET', '/workspaces'),
  ])
  for (const { headers } of answers) {
    expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['no-store', 'nosniff'])
  }
})

it('slow requests are logged, with their route and not their URL', async () => {
  metricsTakeMs = 1010
  await service.call({ method: 'GET', url: '/metrics?token=abc' })
  metricsTakeMs = 0
  while (!service.logs.at(-1)!.includes('slow request')) await new Promise((resolve) => setImmediate(resolve))
  expect(JSON.parse(service.logs.at(-1)!)).toMatchObject({ method: 'GET', route: '/metrics', status: 200 })
})

it('ordinary requests leave no line in the log', async () => {
  const before = service.logs.length
  await publish()
  await service.call({ method: 'GET', url: '/nowhere' })
  expect(service.logs.length).toBe(before)
})
