import { randomUUID } from 'node:crypto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { AlwaysOnSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { VERSION } from '../../engine/attempt/version.ts'
import type { FailureLog } from '../../engine/log/failureLog.ts'
import type { Tracing } from '../../engine/log/tracing.ts'
import type { Signal } from '../config/telemetrySettings.ts'
import type { Config } from '../settings.ts'
import { CollectorConnections } from './collectorConnections.ts'
import { reportingMetrics, sendSpans } from './exports.ts'
import { RegistryMetrics } from './registryMetrics.ts'
import { SpanBudget } from './spanBudget.ts'
import { hrTime, SpanTracing } from './spanTracing.ts'

/** How long one request to the collector may take, including retries. */
const EXPORT_WITHIN_MS = 3 * SECOND_MS
/** After this, connections on which a collector still answers are closed. */
const CLOSE_AFTER_MS = EXPORT_WITHIN_MS + SECOND_MS
/** Some metrics are read from the store. */
const COLLECT_WITHIN_MS = 10 * SECOND_MS
/** How long a stop waits until the rest is sent. */
const STOP_WITHIN_MS = 2 * SECOND_MS
const SCOPE = { name: 'posthorn', version: VERSION }

export interface TelemetryParams {
  readonly config: Pick<
    Config,
    'otlpHeaders' | 'otlpSignals' | 'otlpMetricsEvery' | 'traceSampling' | 'traceMaxSpans' | 'traceReceivers'
  >
  /** Of the collector, without a slash at the end. */
  readonly endpoint: string
  /** The time that all nodes of the store share. */
  readonly clock: Clock
  readonly failureLog: FailureLog
  /** The metrics to send; those about sending are added. */
  readonly registry: Registry
}

/** The parts that send to a collector. */
export interface Telemetry {
  /** `null`: traces are not sent. */
  readonly tracing: Tracing | null
  /** Sends the rest. */
  stop(): Promise<void>
}

/** A part that is sent. */
interface Part {
  readonly connections: CollectorConnections
  /** Sends the rest. */
  shutdown(): Promise<void>
}

/** Starts to send traces and metrics. It never fails, and does not wait for the collector. */
export function startTelemetry(params: TelemetryParams): Telemetry {
  const { config, clock } = params
  const resource = resourceFromAttributes({
    'service.name': 'posthorn',
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
  })
  const traces = config.otlpSignals.includes('traces') ? startTraces(params, resource) : null
  const metrics = config.otlpSignals.includes('metrics') ? startMetrics(params, resource) : null
  return {
    tracing: traces?.tracing ?? null,
    async stop() {
      await inTime(clock, Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]))
      for (const part of [traces, metrics]) part?.connections.close()
    },
  }
}

function startTraces(params: TelemetryParams, resource: Resource): Part & { readonly tracing: Tracing } {
  const { config, clock, failureLog, registry } = params
  const spans = new Counter({
    name: 'posthorn_trace_spans_total',
    help: 'Spans by outcome: sent, failed (the collector rejected them or did not answer), dropped (too many waited), limited (over POSTHORN_TRACE_MAX_SPANS)',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['sent', 'failed', 'dropped', 'limited']) spans.inc({ outcome }, 0)
  const connections = connectionsFor(params, 'traces')
  const provider = new BasicTracerProvider({
    resource,
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      sendSpans({
        exporter: new OTLPTraceExporter(exporterOptions(params, 'traces', connections)),
        connections,
        exportWithinMs: EXPORT_WITHIN_MS,
        failureLog,
        count: (outcome, count) => spans.inc({ outcome }, count),
      }),
    ],
  })
  const tracing = new SpanTracing({
    tracer: provider.getTracer(SCOPE.name, SCOPE.version),
    sampling: config.traceSampling,
    random: Math.random,
    clock,
    budget: new SpanBudget(clock, config.traceMaxSpans),
    toReceivers: config.traceReceivers,
    onLeftOut: (count) => spans.inc({ outcome: 'limited' }, count),
  })
  return { tracing, connections, shutdown: () => provider.shutdown() }
}

function startMetrics(params: TelemetryParams, resource: Resource): Part {
  const { config, clock, failureLog, registry } = params
  const connections = connectionsFor(params, 'metrics')
  const exporter = new OTLPMetricExporter(exporterOptions(params, 'metrics', connections))
  const reader = new PeriodicExportingMetricReader({
    exporter: reportingMetrics(exporter, connections, failureLog),
    exportIntervalMillis: config.otlpMetricsEvery,
    exportTimeoutMillis: Math.min(config.otlpMetricsEvery, COLLECT_WITHIN_MS),
    metricProducers: [
      new RegistryMetrics({ registry, resource, scope: SCOPE, now: () => hrTime(clock.now()) }),
    ],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return { connections, shutdown: () => provider.shutdown() }
}

const connectionsFor = ({ clock }: TelemetryParams, signal: Signal) =>
  new CollectorConnections({ clock, signal, closeAfterMs: CLOSE_AFTER_MS })

function exporterOptions(
  { endpoint, config }: TelemetryParams,
  signal: Signal,
  { agentFor }: CollectorConnections,
) {
  return {
    url: `${endpoint}/v1/${signal}`,
    headers: { ...config.otlpHeaders },
    timeoutMillis: EXPORT_WITHIN_MS,
    concurrencyLimit: 1,
    compression: CompressionAlgorithm.GZIP,
    httpAgentOptions: agentFor,
  }
}

async function inTime(clock: Clock, work: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(STOP_WITHIN_MS, resolve)
    void work.finally(() => {
      timer.cancel()
      resolve()
    })
  })
}
