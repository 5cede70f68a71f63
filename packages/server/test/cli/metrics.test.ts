import { expect, test } from 'vitest'
import { createMetrics } from '../../src/cli/metrics.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { ConsumersState } from '../../src/engine/maintenance/consumerWatch.ts'
import { WAITS_MS } from '../../src/engine/maintenance/inTime.ts'
import type { Overview } from '../../src/engine/maintenance/watches.ts'
import type { Attempt } from '../../src/storage/rows.ts'
import type { PendingDelivery } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'

const ids = () => ({ eventId: 'evt_1', deliveryId: 'del_1' })
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

test('attempts of tests are counted separately, and in no other metric of attempts', async () => {
  const { observer, text } = createMetrics(null)
  observer.attempted('ads', FAILED, ids)
  observer.attempted('ads', { ...FAILED, trigger: 'test' }, ids)
  const shown = await text()
  for (const line of [
    'posthorn_attempts_total{dialect="ads",outcome="http_status"} 1',
    'posthorn_test_attempts_total{dialect="ads",outcome="http_status"} 1',
    'posthorn_attempt_failures_total{cause="receiver"} 1',
    'posthorn_attempt_duration_seconds_count{dialect="ads"} 1',
  ])
    expect(shown).toContain(line)
})

const LAST_HOUR: Overview['lastHour'] = {
  events: 9,
  deliveries: { delivered: 7, atFirst: 5, failed: 2, canceled: 1 },
  attempts: { delivered: 7, http_status: 20 },
  responseMs: { p50: 40, p95: 900, p99: 1500 },
  deliveryMs: null,
}

const CONSUMERS: ConsumersState = { consumers: 3, unacknowledged: 70, oldestAt: null, withGap: 1 }

function watched(clock: ManualClock, overview: () => Promise<Overview>, queue: Engine['queue']) {
  const metrics = createMetrics(null)
  const engine = {
    load: { inFlight: 1, waiting: 2 },
    leaseValid: true,
    clock: { steady: true, aheadOfMachineMs: 0 },
    queue,
    whyPending: () => 'retry_after',
  } as unknown as Engine
  metrics.watch(engine, { current: overview }, { current: async () => CONSUMERS }, clock, {
    isReady: async () => true,
    dataDir: process.cwd(),
  })
  return metrics
}

test('shows counts of webhooks, and the reason why the oldest pending delivery waits', async () => {
  const clock = new ManualClock()
  let oldest: PendingDelivery | null = { createdAt: clock.now() - 90_000 } as PendingDelivery
  const webhooks = { on: 40, failing: 2, disabled: 1 }
  const metrics = watched(
    clock,
    async () => ({ webhooks, lastHour: LAST_HOUR, oldestPending: oldest }),
    async () => ({ pending: 12, due: 3, limited: 0, unmade: 1, oldestDueAt: clock.now() - 5_000 }),
  )
  const text = await metrics.text()
  for (const line of [
    'posthorn_webhooks_on 40',
    'posthorn_consumers 3',
    'posthorn_consumer_unacknowledged_events 70',
    'posthorn_consumer_oldest_unacknowledged_age_seconds 0',
    'posthorn_consumers_with_gap 1',
    'posthorn_webhooks_failing 2',
    'posthorn_webhooks_disabled_last_hour 1',
    'posthorn_deliveries_last_hour{outcome="delivered"} 7',
    'posthorn_deliveries_last_hour{outcome="delivered_first_attempt"} 5',
    'posthorn_deliveries_last_hour{outcome="failed"} 2',
    'posthorn_deliveries_last_hour{outcome="canceled"} 1',
    'posthorn_response_time_last_hour_seconds{quantile="0.95"} 0.9',
    'posthorn_oldest_pending_delivery_age_seconds{reason="retry_after"} 90',
    'posthorn_deliveries_pending 12',
    'posthorn_oldest_due_delivery_age_seconds 5',
  ])
    expect(text).toContain(`${line}\n`)
  oldest = null
  expect(await metrics.text()).not.toContain('posthorn_oldest_pending_delivery_age_seconds{')
})

test('a store that does not answer does not delay a scrape', async () => {
  const clock = new ManualClock()
  const never = () => new Promise<never>(() => {})
  const metrics = watched(clock, never, never)
  const asked = metrics.text()
  await new Promise(setImmediate)
  clock.advance(WAITS_MS)
  const text = await asked
  for (const line of [
    'posthorn_webhooks_failing Nan',
    'posthorn_deliveries_pending Nan',
    'posthorn_lease_held 1',
  ])
    expect(text).toContain(line)
  expect(text).not.toContain('posthorn_deliveries_last_hour{')
})
