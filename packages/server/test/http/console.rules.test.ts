import { afterAll, beforeAll, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/core/duration.ts'
import { contentService } from '../../src/profiles/builtIn.ts'
import { openClient, type ServiceName } from './client.ts'
import { signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

/** Other than the defaults, as an operator may configure. */
const content = contentService({
  waitsMs: [1, 2],
  disableAfterMs: 36 * HOUR_MS,
  secretOverlapMs: 1_500,
})

let service: TestService
beforeAll(async () => {
  service = await startTestService(({ dialects }) => ({
    dialects: new Map([...dialects, ['content', content]]),
    retentionMs: 10 * 24 * HOUR_MS,
  }))
})
afterAll(() => service.stop())

async function rulesOf(name: ServiceName) {
  const { ws } = await openClient(service, name)
  const { token: key } = await signedIn(service, ws.id, 'viewer')
  return service.call({ method: 'GET', url: `/console/v1/workspaces/${ws.slug}/rules`, key })
}

it('the rules of a content workspace are the configured ones', async () => {
  const { status, json } = await rulesOf('content')
  expect(status).toBe(200)
  expect(json).toEqual({
    attempts: 3,
    max_webhooks: 20,
    manual_sends_per_minute: 10,
    warned_after_s: 18 * 3_600,
    switched_off_after_s: 36 * 3_600,
    early_warning: { failures: 5, share: 0.5, deliveries: 10, after_seconds: 600 },
    secret_overlap_s: 1.5,
    retention_s: 10 * 24 * 3_600,
  })
})

it('an ads workspace has no limit of sends, no disabling and no overlap', async () => {
  const { status, json } = await rulesOf('ads')
  expect(status).toBe(200)
  expect(json).toEqual({
    attempts: 1,
    max_webhooks: 10_000,
    manual_sends_per_minute: null,
    warned_after_s: null,
    switched_off_after_s: null,
    early_warning: { failures: 5, share: 0.5, deliveries: 10, after_seconds: 600 },
    secret_overlap_s: 0,
    retention_s: 10 * 24 * 3_600,
  })
})
