import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/cli/metrics.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/core/duration.ts'
import { ConsumerWatch } from '../../src/engine/maintenance/consumerWatch.ts'
import { createOverviewWatch } from '../../src/engine/maintenance/watches.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService(undefined, {
    clockLimits: { maxLeapMs: 30 * SECOND_MS, graceMs: HOUR_MS },
  })
})
afterAll(() => service.stop())

describe('warnings for operators', () => {
  it('are absent while there is nothing to look into', async () => {
    expect(await service.admin('GET', '/warnings')).toMatchObject({ status: 200, json: { data: [] } })
  })

  it('report a clock leap: its size, the consequences, and since when', async () => {
    const before = service.clock.now()
    service.clock.forwardCalendar(7 * DAY_MS)
    expect(service.engine.clock.steady).toBe(false)
    const { json } = await service.admin('GET', '/warnings')
    expect(json).toEqual({
      data: [
        {
          code: 'clock_leapt',
          text: expect.stringMatching(/^The clock jumped 7 days ahead: .* Nothing is deleted /),
          since: expect.any(String),
        },
      ],
    })
    expect(Date.parse(json.data[0].since)).toBeGreaterThanOrEqual(before + 7 * DAY_MS)
  })

  it('are only for operators', async () => {
    const { key } = await service.workspace('content')
    expect((await service.call({ method: 'GET', url: '/admin/v1/warnings', key })).status).toBe(401)
  })
})

describe('outages', () => {
  it('are listed for operators, newest first', async () => {
    expect((await service.admin('GET', '/outages')).json).toEqual({ data: [] })
    const { egress } = service.storage
    const now = Date.now()
    for (const [at, waited] of [
      [now, 0],
      [now + HOUR_MS, 7],
    ] as const)
      await egress.noteOpen({ now: at, waited, notBefore: null })
    expect((await service.admin('GET', '/outages')).json.data).toEqual([
      { began_at: new Date(now).toISOString(), ended_at: new Date(now + HOUR_MS).toISOString(), waited: 7 },
    ])
  })

  it('are only for operators', async () => {
    const { key } = await service.workspace('content')
    expect((await service.call({ method: 'GET', url: '/admin/v1/outages', key })).status).toBe(401)
  })
})

describe('an idempotency key', () => {
  it('is not forgotten because the clock leapt ahead', async () => {
    const { key, slug } = await service.workspace('content')
    const create = () =>
      service.call({
        method: 'POST',
        url: `/v1/workspaces/${slug}/webhooks`,
        key,
        headers: { 'idempotency-key': 'before-the-leap' },
        body: { url: service.receiver.url, events: ['version.approved'] },
      })
    const first = await create()
    expect(first.status).toBe(201)
    service.clock.forwardCalendar(40 * DAY_MS)
    const again = await create()
    expect([again.status, again.json.id]).toEqual([201, first.json.id])
  })
})

describe('metrics of the clock', () => {
  it('count leaps by direction and show whether the clock is trusted', async () => {
    const metrics = createMetrics(null)
    metrics.watch(
      service.engine,
      createOverviewWatch({ storage: service.storage.stats, clock: service.clock }),
      new ConsumerWatch({ storage: service.storage.consumers, clock: service.clock }),
      service.clock,
      { isReady: async () => true, dataDir: process.cwd() },
    )
    metrics.observer.clockLeapt(7 * DAY_MS)
    metrics.observer.clockLeapt(-7 * DAY_MS)
    metrics.observer.pulledIn(3)
    const text = await metrics.text()
    for (const line of [
      'posthorn_clock_leaps_total{direction="ahead"} 1',
      'posthorn_clock_leaps_total{direction="back"} 1',
      `posthorn_clock_last_leap_seconds -${(7 * DAY_MS) / 1000}`,
      'posthorn_clock_steady 0',
      'posthorn_retries_pulled_in_total 3',
    ])
      expect(text).toContain(`${line}\n`)
  })
})
