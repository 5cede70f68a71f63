import { describe, expect, test } from 'vitest'
import { LogWatch } from '../src/soak/logWatch.ts'
import { numbered, numberIn } from '../src/soak/numbered.ts'
import type { Sample } from '../src/soak/serviceWatch.ts'
import type { HookResult, SoakResult } from '../src/soak/soak.ts'
import { floorsOf, trendOf } from '../src/soak/trend.ts'
import { soakComplaints, soakTable } from '../src/soak/verdict.ts'
import { MetricsText } from '../src/support/metricsText.ts'

const MB = 1e6
const HOUR_S = 3_600
const COLLECTOR_FAILS =
  '{"level":50,"msg":"sending of traces to the collector failed; retrying","reason":"connect ECONNREFUSED"}\n'

const sample = (change: Partial<Sample> = {}): Sample => ({
  atMs: 0,
  fileDescriptors: 60,
  sockets: 5,
  activeResources: 8,
  timers: 0,
  rssBytes: 250 * MB,
  heapBytes: 60 * MB,
  loopMaxMs: 20,
  pending: 0,
  inFlight: 0,
  storeBytes: 100 * MB,
  ...change,
})

/** @param of the sample, by its time as a share from 0 to 1 */
const samples = (of: (part: number) => Partial<Sample> = () => ({})) =>
  Array.from({ length: 720 }, (_, at) => sample(of(at / 720)))

const hook = (name: string, change: Partial<HookResult> = {}): HookResult => ({
  name,
  acknowledged: [0, 1, 2],
  requests: 9,
  repeated: 0,
  forged: 0,
  forgery: null,
  attempts: Uint8Array.of(3, 3, 3),
  accepted: name === 'hanging' ? new Uint8Array(3) : Uint8Array.of(1, 1, 1),
  ...change,
})

const metrics = (failed: number, sent: number, attempts = 300_000) =>
  new MetricsText(
    `posthorn_trace_spans_total{outcome="sent"} ${sent}\nposthorn_trace_spans_total{outcome="failed"} ${failed}\n` +
      `posthorn_trace_spans_total{outcome="dropped"} 0\nposthorn_trace_spans_total{outcome="limited"} 0\n` +
      `posthorn_attempts_total{dialect="content",outcome="delivered"} ${attempts - 7}\nposthorn_attempts_total{dialect="ads",outcome="timeout"} 7\n`,
  )

function logOf(text: string): LogWatch {
  const log = new LogWatch()
  log.collectorMayBeAway = true
  log.read(COLLECTOR_FAILS)
  log.collectorMayBeAway = false
  log.read(text)
  return log
}

/** 100,000 publishes, 1 % of them traced, with two spans each and three attempts. */
const soundRun = (change: Partial<SoakResult> = {}): SoakResult => ({
  hooks: [hook('healthy'), hook('hanging')],
  publishes: 100_000,
  leftOut: 0,
  visits: { consumers: 4 },
  failures: [],
  log: logOf(''),
  samples: samples(),
  atStart: sample({ fileDescriptors: 38 }),
  atEnd: sample(),
  metrics: metrics(500, 4_500),
  collector: { spans: 4_500, exports: { traces: 10, metrics: 10 } },
  ...change,
})

test('a sound soak has no complaint, and a table', () => {
  expect(soakComplaints(soundRun(), HOUR_S)).toEqual([])
  const text = soakTable(soundRun())
  expect(text).toMatch(/^RSS MB +250\.0 +250\.0 +250\.0 +250\.0 +250\.0$/m)
  expect(text).toMatch(/^hanging +3 +9 +0 +0$/m)
  expect(text).toContain('received: 4500; expected: 5000 ± 791')
})

test.each<[string, Partial<SoakResult>]>([
  [
    'healthy: 1 acknowledged events were not delivered',
    { hooks: [hook('healthy', { accepted: Uint8Array.of(1, 0, 1) })] },
  ],
  [
    'hanging: 1 acknowledged events were never attempted',
    { hooks: [hook('hanging', { attempts: Uint8Array.of(4, 5, 0) })] },
  ],
  [
    'hanging: 8 attempts arrived, 9 were meant',
    { hooks: [hook('hanging', { attempts: Uint8Array.of(3, 2, 3) })] },
  ],
  [
    'healthy: 1 requests were not signed right: no matching signature',
    { hooks: [hook('healthy', { forged: 1, forgery: 'no matching signature' })] },
  ],
  ['healthy: nothing was published', { hooks: [hook('healthy', { acknowledged: [] })] }],
  ['503', { failures: ['503'] }],
  ['no consumers', { visits: { consumers: 0 } }],
  [
    'the service wrote: {"level":50,"msg":"retention failed"}',
    { log: logOf('{"level":50,"msg":"retention failed"}\n') },
  ],
  [
    'the service wrote: (node:1) UnhandledPromiseRejection',
    { log: logOf('(node:1) UnhandledPromiseRejection\n') },
  ],
  ['the log says nothing of the collector that was away', { log: new LogWatch() }],
  [
    'the highest RSS grew by 26.7 MB from the middle to the last third',
    { samples: samples((part) => ({ rssBytes: (250 + 80 * part) * MB })) },
  ],
  [
    'the heap grew by 26.7 MB from the first to the last third',
    // Collected each minute, with slightly more left each time.
    {
      samples: samples((part) => ({ heapBytes: (60 + 40 * part + 40 * ((part * 60) % 1)) * MB })),
    },
  ],
  [
    'the store grew from 169.9 to 199.9 MB after expired rows were deleted',
    { samples: samples((part) => ({ storeBytes: (100 + 100 * part) * MB })) },
  ],
  ['9 sockets were left at the end, more than 8', { atEnd: sample({ fileDescriptors: 64, sockets: 9 }) }],
  ['56 files were left at the end, more than 55', { atEnd: sample({ fileDescriptors: 61 }) }],
  ['4 timers were left at the end, more than 3', { atEnd: sample({ timers: 4 }) }],
  ['12 active resources were left at the end, more than 11', { atEnd: sample({ activeResources: 12 }) }],
  [
    'the collector got 4499 spans, of 4500 sent and 500 failed',
    { collector: { spans: 4_499, exports: { traces: 1, metrics: 1 } } },
  ],
  ['no span was counted as lost while the collector was away', { metrics: metrics(0, 4_500) }],
  [
    '1000 spans were recorded, not 5000 ± 791',
    { metrics: metrics(500, 500), collector: { spans: 500, exports: { traces: 1, metrics: 1 } } },
  ],
  ['the collector got no metrics', { collector: { spans: 4_500, exports: { traces: 1, metrics: 0 } } }],
])('a soak is not sound: %s', (complaint, change) => {
  expect(soakComplaints(soundRun(change), HOUR_S)).toEqual([complaint])
})

describe('the log', () => {
  test('may have errors only about an unavailable collector', () => {
    const log = new LogWatch()
    log.collectorMayBeAway = true
    log.read('{"level":30,"msg":"Posthorn is lis')
    log.read(`tening"}\n${COLLECTOR_FAILS}`)
    log.read('{"level":50,"msg":"the store is unavailable; retrying"}\n')
    log.collectorMayBeAway = false
    log.read(COLLECTOR_FAILS)
    expect(log.lines).toBe(4)
    expect(log.collectorErrors).toBe(2)
    expect(log.complaints).toEqual([
      '{"level":50,"msg":"the store is unavailable; retrying"}',
      COLLECTOR_FAILS.trimEnd(),
    ])
  })
})

test('a trend compares the medians of the first and the last third', () => {
  expect(trendOf([1, 2, 90, 50, 50, 50, 7, 8, 9])).toEqual({ first: 2, last: 8, growth: 6 })
  expect(() => trendOf([1, 2])).toThrow('a trend needs at least three values')
  expect(floorsOf([3, 1, 2, 9, 8], 2)).toEqual([1, 2, 8])
})

test.each(['content', 'ads'] as const)('events of %s are identified by their numbers', (dialect) => {
  const { content, entity } = numbered(dialect, 360_123)
  const body = JSON.stringify({ data: content, entityId: entity?.id })
  expect(numberIn(dialect, body)).toBe(360_123)
})
