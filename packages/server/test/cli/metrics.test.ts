import { expect, test } from 'vitest'
import { createMetrics } from '../../src/cli/metrics.ts'
import type { Attempt } from '../../src/storage/rows.ts'

const FAILED: Attempt = {
  number: 1,
  trigger: 'schedule',
  webhookVersion: 1,
  startedAt: 0,
  durationMs: 40,
  statusCode: 503,
  errorCode: 'http_status',
  errorMessage: 'The receiver answered 503.',
  cause: 'receiver',
  contentType: null,
  responseBody: null,
}

test('attempts of tests are counted apart, and in no other figure of attempts', async () => {
  const { observer, text } = createMetrics(null)
  observer.attempted('ads', FAILED)
  observer.attempted('ads', { ...FAILED, trigger: 'test' })
  const shown = await text()
  for (const line of [
    'posthorn_attempts_total{dialect="ads",outcome="http_status"} 1',
    'posthorn_test_attempts_total{dialect="ads",outcome="http_status"} 1',
    'posthorn_attempt_failures_total{cause="receiver"} 1',
    'posthorn_attempt_duration_seconds_count{dialect="ads"} 1',
  ])
    expect(shown).toContain(line)
})
