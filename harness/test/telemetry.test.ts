import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { Collector } from '../src/otlp/collector.ts'
import { type ExportedSpan, metricsOf, provideDecoder, spansOf } from '../src/otlp/decode.ts'
import { EVENTS } from '../src/support/events.ts'
import { freePort } from '../src/support/freePort.ts'
import { ADMIN_TOKEN, type PosthornProcess } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'
import { useServing } from './serving.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT_ID = 'b7ad6b7169203331'
const SAMPLED = `00-${TRACE_ID}-${PARENT_ID}-01`
const COLLECTOR_KEY = 'collector-key-c0ffee'
const LOADED_MODULES = fileURLToPath(new URL('../src/otlp/loadedModules.cjs', import.meta.url))
const { common, make } = EVENTS.content

const { python, missing } = await provideDecoder()
if (missing !== null) process.stderr.write(`Tests of telemetry are skipped. ${missing}\n`)

const serving = useServing()
const cleanUps: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function startCollector(): Promise<Collector> {
  const collector = await Collector.start()
  cleanUps.push(() => collector.stop())
  return collector
}

/** A receiver on this machine that answers with the given statuses; the last one repeats. */
async function startReceiver(...statuses: readonly number[]) {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      requests.push(request.headers)
      response.writeHead(statuses[Math.min(requests.length, statuses.length) - 1]!).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { requests, url: `http://127.0.0.1:${port}/hooks?token=receiver-token-1234` }
}

async function publish(
  service: PosthornProcess,
  workspace: WorkspaceClient,
  traceparent?: string,
): Promise<void> {
  const { type, content } = make(common, 'subject-of-the-event')
  const response = await fetch(`${service.url}${workspace.publishPath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.key}`,
      'content-type': 'application/json',
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    body: JSON.stringify({ events: [{ type, data: content }] }),
  })
  expect(response.status).toBe(202)
}

const received = (requests: readonly IncomingHttpHeaders[], count: number) =>
  eventually(() => (requests.length >= count ? true : null), { withinMs: 15_000, what: `${count} requests` })

describe.skipIf(python === null)('telemetry', () => {
  test('the trace of the publisher contains the publish and every attempt, across a restart', async () => {
    const collector = await startCollector()
    const receiver = await startReceiver(503, 204)
    const settings = {
      POSTHORN_OTLP_ENDPOINT: collector.url,
      POSTHORN_OTLP_HEADERS: `Authorization=Bearer%20${COLLECTOR_KEY}`,
      POSTHORN_OTLP_SIGNALS: 'traces',
      POSTHORN_TRACE_SAMPLING: '0',
      POSTHORN_CONTENT_RETRY: '3s',
      POSTHORN_LOG_LEVEL: 'debug',
    }
    const first = await serving.start(settings)
    const workspace = await createWorkspace(() => first.url, 'content', 'traced')
    const { secret } = await workspace.createWebhook(receiver.url, [common])
    await publish(first, workspace, SAMPLED)
    await received(receiver.requests, 1)
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    const second = await serving.start(settings)
    await received(receiver.requests, 2)
    await second.stop()

    const spans = await spansOf(python!, collector)
    const named = (name: string) => spans.filter((span) => span.name === name)
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]))
    const [request] = named('POST /v1/workspaces/:ws/events/batch')
    expect(request).toMatchObject({
      kind: 'SPAN_KIND_SERVER',
      parentSpanId: PARENT_ID,
      attributes: {
        'http.response.status_code': 202,
        'posthorn.events': 1,
        'posthorn.workspace.id': workspace.id,
      },
      error: null,
    })
    const [store] = named('store')
    expect(store).toMatchObject({ parentSpanId: request!.spanId, attributes: { 'posthorn.deliveries': 1 } })
    const attempts = named('attempt')
    expect(attempts).toMatchObject([
      {
        kind: 'SPAN_KIND_CLIENT',
        parentSpanId: request!.spanId,
        attributes: {
          'posthorn.attempt.number': 1,
          'posthorn.attempt.trigger': 'schedule',
          'http.response.status_code': 503,
          'error.type': 'http_status',
        },
        error: 'http_status',
      },
      {
        parentSpanId: request!.spanId,
        attributes: { 'posthorn.attempt.number': 2, 'http.response.status_code': 204 },
        error: null,
      },
    ])
    expect(spans).toHaveLength(4)
    expect(collector.spans).toBe(4)
    expect(receiver.requests.map(({ traceparent }) => traceparent)).toEqual(attempts.map(headerOf))
    for (const { startMs, endMs } of spans) {
      expect(endMs).toBeGreaterThanOrEqual(startMs)
      expect(startMs).toBeGreaterThan(Date.now() - 120_000)
    }

    expect(collector.of('traces')[0]!.headers.authorization).toBe(`Bearer ${COLLECTOR_KEY}`)
    const outputs = JSON.stringify([spans, first.stdout, first.stderr, second.stdout, second.stderr])
    for (const hidden of [
      ADMIN_TOKEN,
      workspace.key,
      secret,
      'receiver-token-1234',
      COLLECTOR_KEY,
      'subject-of-the-event',
    ])
      expect(outputs).not.toContain(hidden)
  })

  test('metrics reach the collector under the names and with the values of /metrics', async () => {
    const collector = await startCollector()
    const receiver = await startReceiver(204)
    const service = await serving.start({
      POSTHORN_OTLP_ENDPOINT: collector.url,
      POSTHORN_OTLP_METRICS_EVERY: '1s',
    })
    const workspace = await createWorkspace(() => service.url, 'content', 'measured')
    await workspace.createWebhook(receiver.url, [common])
    for (let i = 0; i < 3; i++) await publish(service, workspace)
    await received(receiver.requests, 3)
    const published = (of: Awaited<ReturnType<typeof metricsOf>>) =>
      of.find(({ name }) => name === 'posthorn_events_published_total')
    const metrics = await eventually(
      async () => {
        const sent = await metricsOf(python!, collector)
        return published(sent)?.points[0]?.value === 3 ? sent : null
      },
      { withinMs: 15_000, everyMs: 500, what: 'metrics of the three events' },
    )
    expect(published(metrics)).toEqual({
      name: 'posthorn_events_published_total',
      kind: 'sum',
      points: [{ attributes: { dialect: 'content' }, value: 3 }],
    })
    expect(metrics).toContainEqual({
      name: 'posthorn_attempt_duration_seconds',
      kind: 'histogram',
      points: [{ attributes: { dialect: 'content' }, value: 3 }],
    })
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]))
    const kinds = { sum: 'counter', gauge: 'gauge', histogram: 'histogram' }
    expect(new Map(metrics.map(({ name, kind }) => [name, kinds[kind]]))).toEqual(types)
  })

  test('requests without a traceparent are traced at the configured rate', async () => {
    const collector = await startCollector()
    const receiver = await startReceiver(204)
    const service = await serving.start({
      POSTHORN_OTLP_ENDPOINT: collector.url,
      POSTHORN_OTLP_SIGNALS: 'traces',
      POSTHORN_TRACE_SAMPLING: '1',
      POSTHORN_TRACE_RECEIVERS: 'false',
    })
    const workspace = await createWorkspace(() => service.url, 'content', 'sampled')
    await workspace.createWebhook(receiver.url, [common])
    await publish(service, workspace)
    // Its publisher requests no tracing.
    await publish(service, workspace, `00-${TRACE_ID}-${PARENT_ID}-00`)
    await received(receiver.requests, 2)
    await service.stop()
    const spans = await spansOf(python!, collector)
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'POST /v1/workspaces/:ws/events/batch',
      'attempt',
      'store',
    ])
    expect(spans[0]).toMatchObject({ parentSpanId: '' })
    expect(spans[0]!.traceId).not.toBe(TRACE_ID)
    expect(receiver.requests.map(({ traceparent }) => traceparent)).toEqual([undefined, undefined])
  })
})

test('an unavailable collector delays nothing, and is logged once', async () => {
  const receiver = await startReceiver(204)
  const service = await serving.start({
    POSTHORN_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    POSTHORN_OTLP_SIGNALS: 'traces',
    POSTHORN_OTLP_HEADERS: `x-key=${COLLECTOR_KEY}`,
    POSTHORN_TRACE_SAMPLING: '1',
  })
  const workspace = await createWorkspace(() => service.url, 'content', 'alone')
  await workspace.createWebhook(receiver.url, [common])
  for (let i = 0; i < 20; i++) await publish(service, workspace)
  await received(receiver.requests, 20)
  const failed = 'sending of traces to the collector failed; retrying'
  await service.logged(failed)
  await eventually(
    async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text()
      const [, count] = /^posthorn_trace_spans_total\{outcome="failed"\} (\d+)$/m.exec(text) ?? []
      return Number(count) >= 60 ? true : null
    },
    { withinMs: 30_000, everyMs: 200, what: 'count of what was not sent' },
  )
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  expect(service.stdout.split(failed)).toHaveLength(2)
  expect(service.stdout).not.toContain(COLLECTOR_KEY)
})

test('a collector with slow answers delays neither later exports nor the end of the process', async () => {
  const collector = await startCollector()
  collector.trickles = true
  const service = await serving.start({
    POSTHORN_OTLP_ENDPOINT: collector.url,
    POSTHORN_OTLP_METRICS_EVERY: '1s',
  })
  const asked = (count: number) =>
    eventually(() => (collector.of('metrics').length >= count ? true : null), {
      withinMs: 20_000,
      what: `${count} requests with metrics`,
    })
  await asked(2)
  expect(service.stdout).not.toContain('Concurrent')
  const startedAt = Date.now()
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  expect(Date.now() - startedAt).toBeLessThan(10_000)
})

test('without a collector no code of OpenTelemetry is loaded, and no traceparent is stored or forwarded', async () => {
  const receiver = await startReceiver(204)
  const service = await serving.start({ NODE_OPTIONS: `--require=${LOADED_MODULES}` })
  const workspace = await createWorkspace(() => service.url, 'content', 'untraced')
  await workspace.createWebhook(receiver.url, [common])
  await publish(service, workspace, SAMPLED)
  await received(receiver.requests, 1)
  await service.stop()
  expect(service.stderr).toContain('modules of OpenTelemetry: 0\n')
  expect(receiver.requests.map(({ traceparent }) => traceparent)).toEqual([undefined])
})

test('with a collector, the same check finds the code of OpenTelemetry', async () => {
  const service = await serving.start({
    NODE_OPTIONS: `--require=${LOADED_MODULES}`,
    POSTHORN_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  })
  expect(await service.stop()).toEqual({ code: 0, signal: null })
  expect(service.stderr).toMatch(/modules of OpenTelemetry: [1-9]/)
})

const headerOf = ({ traceId, spanId }: ExportedSpan) => `00-${traceId}-${spanId}-01`
