import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PublishOutcome } from '../../src/engine/engine.ts'
import { adsEvent } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  const full: PublishOutcome = {
    outcome: 'quota_exceeded',
    quota: 'uncreatedDeliveries',
    used: 7_000,
    max: 5_000,
    retryAfterMs: 9_001,
  }
  service = await startTestService(({ engine }) => ({
    engine: new Proxy(engine, {
      get: (target, name) => (name === 'publish' ? async () => full : Reflect.get(target, name, target)),
    }),
  }))
})
afterAll(() => service.stop())

it('a publish beyond what may wait to be created says how much is waiting, who can raise the limit, and when to retry', async () => {
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
