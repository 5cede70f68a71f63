import { afterAll, beforeAll, expect, it } from 'vitest'
import type { QuotaExceeded } from '../../src/core/quotas.ts'
import { adsEvent } from './events.ts'
import { sendRaw } from './rawRequest.ts'
import { startTestService, type TestService } from './service.ts'

const full: QuotaExceeded = {
  outcome: 'quota_exceeded',
  quota: 'uncreatedDeliveries',
  used: 7_000,
  max: 5_000,
  retryAfterMs: 9_001,
}
let exceeded: QuotaExceeded | null = null
let service: TestService
beforeAll(async () => {
  const known = { publish: async () => full, quotaExceeded: () => exceeded }
  service = await startTestService(({ engine }) => ({
    engine: new Proxy(engine, {
      get: (target, name) => Reflect.get(name in known ? known : target, name, target),
    }),
  }))
})
afterAll(() => service.stop())

it('a publish beyond the fan-out limit says how much is waiting, who can raise the limit, and when to retry', async () => {
  const { key } = await service.workspace('ads')
  const { status, json, headers } = await service.call({
    method: 'POST',
    url: '/api/v1/events',
    key,
    body: adsEvent(),
  })
  expect(status).toBe(429)
  expect(json.code).toBe('quota_exceeded')
  expect(json.detail).toContain('7000 deliveries waiting to be created; the limit is 5000')
  expect(json.detail).toContain('ask the operator to raise POSTHORN_MAX_FANOUT_PER_WORKSPACE')
  expect(headers['retry-after']).toBe('10')
})

it.each(['/api/v1/events', '/api/v1/events/batch'])(
  '%s rejects a workspace that has used up a quota before its body arrives',
  async (path) => {
    const { key } = await service.workspace('ads')
    exceeded = { ...full, quota: 'eventsPerSecond', used: 70, max: 70 }
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`
    const answer = await sendRaw(service, `${head}\r\nContent-Length: 200000\r\nConnection: close\r\n\r\n`)
    exceeded = null
    expect(answer.head).toMatch(/^HTTP\/1.1 429 .*\r\nretry-after: 10\r\n/is)
    expect(answer.body).toContain('publishes more than 70 events per second')
  },
)
