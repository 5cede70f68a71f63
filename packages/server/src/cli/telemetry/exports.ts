import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { SECOND_MS } from '../../core/duration.ts'
import type { FailureLog } from '../../engine/log/failureLog.ts'
import type { CollectorConnections } from './collectorConnections.ts'

/** Their names in the log. */
const TRACES = 'sending of traces to the collector'
const METRICS = 'sending of metrics to the collector'

/** Spans that wait or are being sent; some 2 KB of memory each. */
const MAX_WAITING = 2_048
const SPANS_PER_REQUEST = 512
const SEND_EVERY_MS = 2 * SECOND_MS

/** The library's message when the previous request is still in progress. */
const STILL_BUSY = 'Concurrent export limit reached'

/** How a recorded span ended. */
export type SpanOutcome = 'sent' | 'failed' | 'dropped'

/**
 * Sends spans in batches from a bounded queue. While the collector is slow or unavailable, spans that do not fit or cannot be sent are
 * dropped and counted.
 */
export function sendSpans(params: {
  readonly exporter: SpanExporter
  readonly connections: Pick<CollectorConnections, 'export'>
  readonly exportWithinMs: number
  readonly failureLog: FailureLog
  readonly count: (outcome: SpanOutcome, spans: number) => void
}): SpanProcessor {
  const { exporter, connections, exportWithinMs, failureLog, count } = params
  let waiting = 0
  const batches = new BatchSpanProcessor(
    {
      export(spans, done) {
        connections.export(exporter, spans, (result) => {
          waiting -= spans.length
          count(report(failureLog, TRACES, result) ? 'sent' : 'failed', spans.length)
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
    {
      maxQueueSize: MAX_WAITING,
      maxExportBatchSize: SPANS_PER_REQUEST,
      scheduledDelayMillis: SEND_EVERY_MS,
      exportTimeoutMillis: exportWithinMs,
    },
  )
  return {
    onStart() {},
    onEnd(span) {
      if (waiting === MAX_WAITING) {
        count('dropped', 1)
        return
      }
      waiting++
      batches.onEnd(span)
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  }
}

/** Logs when the collector rejects metrics or does not answer, and when it accepts them again. */
export function reportingMetrics(
  exporter: PushMetricExporter,
  connections: Pick<CollectorConnections, 'export'>,
  failureLog: FailureLog,
): PushMetricExporter {
  return {
    export(metrics, done) {
      connections.export(exporter, metrics, (result) => {
        report(failureLog, METRICS, result)
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}

/** @returns whether the collector accepted all of it */
function report(failureLog: FailureLog, work: string, { code, error }: ExportResult): boolean {
  if (code === ExportResultCode.SUCCESS) failureLog.worked(work)
  else failureLog.failed(work, reasonOf(error))
  return code === ExportResultCode.SUCCESS
}

/** Without the body of the collector's response, which may repeat the sent data. */
function reasonOf(error: (Error & { readonly code?: number | string }) | undefined): string {
  if (error === undefined) return 'the collector rejected it'
  const { code, message, name } = error
  if (message === STILL_BUSY) return 'the collector has not finished its response to the previous request'
  return typeof code === 'number' ? `the collector answered ${code}` : message || String(code ?? name)
}
