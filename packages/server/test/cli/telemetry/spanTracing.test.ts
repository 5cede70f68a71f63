import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'
import { SpanBudget } from '../../../src/cli/telemetry/spanBudget.ts'
import { SpanTracing } from '../../../src/cli/telemetry/spanTracing.ts'
import type { Attempt } from '../../../src/storage/rows.ts'
import { ManualClock } from '../../support/manualClock.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_ID = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-01`
const NOT_SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-00`

const REQUEST = {
  requestId: 'req_1',
  method: 'POST',
  route: '/v1/workspaces/:ws/events',
  traceparent: undefined as string | undefined,
  elapsedMs: 2,
  dialect: 'content',
  workspace: { id: 1, publicId: 'ws_1' },
  events: 1,
}
const DELIVERY = {
  workspaceId: 1,
  dialect: 'content',
  webhookId: 'wh_1',
  eventType: 'brick.stacked',
  ids: () => ({ eventId: 'evt_1', deliveryId: 'dlv_1' }),
}
const ATTEMPT: Attempt = {
  number: 1,
  trigger: 'schedule',
  webhookVersion: 1,
  startedAt: 0,
  durationMs: 5,
  statusCode: null,
  errorCode: 'dns_failed',
  errorMessage: 'No address for internal-name-1.',
  cause: 'receiver',
  contentType: null,
  responseBody: null,
}

function setUp({ sampling = 0, maxSpans = 100, toReceivers = true } = {}) {
  const clock = new ManualClock(1_000_000)
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  })
  let leftOut = 0
  const tracing = new SpanTracing({
    tracer: provider.getTracer('test'),
    sampling,
    random: () => 0.25,
    clock,
    budget: new SpanBudget(clock, maxSpans),
    toReceivers,
    onLeftOut: (spans) => {
      leftOut += spans
    },
  })
  return { clock, tracing, spans: () => exporter.getFinishedSpans(), leftOut: () => leftOut }
}

describe('a publish', () => {
  test('continues the trace of its publisher, from the arrival of the request to the answer', () => {
    const { clock, tracing, spans } = setUp()
    const publish = tracing.publish({ ...REQUEST, traceparent: SAMPLED })!
    publish.storing()
    clock.advance(3)
    publish.stored(7, 2)
    clock.advance(1)
    publish.ended(202)
    const [store, request] = spans()
    expect(request).toMatchObject({
      name: 'POST /v1/workspaces/:ws/events',
      parentSpanContext: { traceId: TRACE_ID, spanId: PARENT_ID },
      startTime: [999, 998_000_000],
      endTime: [1000, 4_000_000],
      attributes: { 'posthorn.request.id': 'req_1', 'http.response.status_code': 202 },
    })
    expect(store).toMatchObject({
      name: 'store',
      parentSpanContext: { spanId: request!.spanContext().spanId },
      duration: [0, 3_000_000],
      attributes: { 'posthorn.deliveries': 7, 'posthorn.deliveries.late': 2 },
    })
    expect(publish.traceparent).toBe(`00-${TRACE_ID}-${request!.spanContext().spanId}-01`)
  })

  test('that the store rejects ends the span of the store with an error', () => {
    const { tracing, spans } = setUp()
    const publish = tracing.publish({ ...REQUEST, traceparent: SAMPLED })!
    publish.storing()
    publish.ended(503)
    expect(spans().map(({ name, status }) => [name, status.message])).toEqual([
      ['store', 'not stored'],
      ['POST /v1/workspaces/:ws/events', '503'],
    ])
  })

  test.each([
    ['none', undefined],
    ['one that is no traceparent', 'Bearer secret'],
    ['one of all zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
    ['one of a version that does not exist', SAMPLED.replace(/^00/, 'ff')],
  ])('with %s for a traceparent begins a trace at the configured rate', (_, traceparent) => {
    expect(setUp({ sampling: 0.25 }).tracing.publish({ ...REQUEST, traceparent })).toBeNull()
    const { tracing, spans } = setUp({ sampling: 0.26 })
    tracing.publish({ ...REQUEST, traceparent })!.ended(202)
    expect(spans()[0]).toMatchObject({ parentSpanContext: undefined })
    expect(spans()[0]!.spanContext().traceId).not.toBe(TRACE_ID)
  })

  test('not sampled by its publisher is not recorded, and its traceparent is forwarded unchanged', () => {
    const { tracing, spans } = setUp({ sampling: 1 })
    const publish = tracing.publish({ ...REQUEST, traceparent: NOT_SAMPLED })!
    publish.ended(202)
    expect([publish.traceparent, spans()]).toEqual([NOT_SAMPLED, []])
    expect(setUp({ toReceivers: false }).tracing.publish({ ...REQUEST, traceparent: NOT_SAMPLED })).toBeNull()
  })
})

describe('an attempt', () => {
  test('is a child of the traceparent stored with its event, and its own traceparent goes to the receiver', () => {
    const { clock, tracing, spans } = setUp()
    const attempt = tracing.attempt(SAMPLED, DELIVERY)!
    clock.advance(5)
    attempt.ended(ATTEMPT)
    const [span] = spans()
    expect(span).toMatchObject({
      name: 'attempt',
      parentSpanContext: { traceId: TRACE_ID, spanId: PARENT_ID },
      duration: [0, 5_000_000],
      status: { message: 'dns_failed' },
      attributes: {
        'posthorn.event.id': 'evt_1',
        'posthorn.delivery.id': 'dlv_1',
        'error.type': 'dns_failed',
        'posthorn.attempt.cause': 'receiver',
      },
    })
    expect(attempt.traceparent).toBe(`00-${TRACE_ID}-${span!.spanContext().spanId}-01`)
    // Texts about an attempt may contain receivers' host names.
    expect(JSON.stringify(span!.attributes)).not.toContain('internal-name-1')
  })

  test('a failure that does not count is marked', () => {
    const { tracing, spans } = setUp()
    tracing.attempt(SAMPLED, DELIVERY)!.released(null)
    expect(spans()[0]!.attributes).toMatchObject({
      'posthorn.attempt.counts': false,
      'error.type': 'abandoned',
    })
  })

  test('of an event that is not sampled forwards its traceparent, and computes no ids', () => {
    const { tracing, spans } = setUp()
    const ids = () => {
      throw new Error('asked for ids')
    }
    const attempt = tracing.attempt(NOT_SAMPLED, { ...DELIVERY, ids })!
    attempt.ended(ATTEMPT)
    expect([attempt.traceparent, spans()]).toEqual([NOT_SAMPLED, []])
  })

  test('sends no traceparent to receivers if that is disabled', () => {
    const { tracing, spans } = setUp({ toReceivers: false })
    const attempt = tracing.attempt(SAMPLED, DELIVERY)!
    attempt.ended(ATTEMPT)
    expect([attempt.traceparent, spans().length]).toEqual([null, 1])
    expect(tracing.attempt(NOT_SAMPLED, DELIVERY)).toBeNull()
  })
})

test('the fan-out of late deliveries is a span of their event', () => {
  const { tracing, spans } = setUp()
  tracing.fannedOut(SAMPLED, { workspaceId: 1, deliveries: 500, tookMs: 12 })
  expect(spans()[0]).toMatchObject({
    name: 'fan-out',
    duration: [0, 12_000_000],
    attributes: { 'posthorn.deliveries': 500 },
  })
})

test('one workspace gets half of the spans of a node; further ones are counted, and the traceparent is forwarded', () => {
  const { clock, tracing, spans, leftOut } = setUp({ maxSpans: 10 })
  const attempts = (workspaceId: number, count: number) =>
    Array.from({ length: count }, () => {
      const attempt = tracing.attempt(SAMPLED, { ...DELIVERY, workspaceId })!
      attempt.ended(ATTEMPT)
      return attempt.traceparent
    })
  const greedy = attempts(1, 80)
  expect([spans().length, leftOut()]).toEqual([50, 30])
  expect(greedy.slice(50)).toEqual(Array(30).fill(SAMPLED))
  attempts(2, 50)
  expect([spans().length, leftOut()]).toEqual([100, 30])
  expect(attempts(3, 1)).toEqual([SAMPLED])
  clock.advance(1_000)
  attempts(1, 10)
  expect(spans().length).toBe(105)
})
