import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { providePythonPackages } from '../support/pythonPackages.ts'
import type { Collector } from './collector.ts'

const SCRIPT = fileURLToPath(new URL('decode.py', import.meta.url))
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url))

/** As OTLP's JSON writes them. */
interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: string
    readonly boolValue?: boolean
    readonly doubleValue?: number
  }
}

export interface ExportedSpan {
  readonly name: string
  readonly kind: string
  /** In hexadecimal. */
  readonly traceId: string
  readonly spanId: string
  /** Empty: it is the root of the trace. */
  readonly parentSpanId: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly error: string | null
}

export interface ExportedMetric {
  readonly name: string
  readonly kind: 'sum' | 'gauge' | 'histogram'
  readonly points: readonly { readonly attributes: ExportedSpan['attributes']; readonly value: number }[]
}

type Provided =
  | { readonly python: string; readonly missing: null }
  | { readonly python: null; readonly missing: string }

/** Python with OpenTelemetry's own definitions of OTLP, or why it is unavailable. */
export async function provideDecoder(): Promise<Provided> {
  const { programs, missing } = await providePythonPackages('opentelemetry-proto', REQUIREMENTS)
  return programs === null ? { python: null, missing } : { python: path.join(programs, 'python'), missing }
}

/** Everything that a collector got for one signal, as OTLP's JSON. */
async function decode(
  python: string,
  collector: Collector,
  signal: 'traces' | 'metrics',
): Promise<unknown[]> {
  const child = spawn(python, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(collector.of(signal).map(({ body }) => [signal, body.toString('base64')])))
  const lines = (await text(child.stdout)).trim()
  return lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as unknown)
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[]
  }[]
}

interface RawSpan {
  readonly name: string
  readonly kind: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: readonly Attribute[]
  readonly status?: { readonly code?: string; readonly message?: string }
}

/** The spans that a collector got, by start time. */
export async function spansOf(python: string, collector: Collector): Promise<readonly ExportedSpan[]> {
  const requests = (await decode(python, collector, 'traces')) as TraceRequest[]
  return requests
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      name: span.name,
      kind: span.kind,
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentSpanId: hex(span.parentSpanId ?? ''),
      startMs: Number(span.startTimeUnixNano) / 1e6,
      endMs: Number(span.endTimeUnixNano) / 1e6,
      attributes: attributesOf(span.attributes),
      error: span.status?.code === 'STATUS_CODE_ERROR' ? (span.status.message ?? '') : null,
    }))
    .sort((a, b) => a.startMs - b.startMs)
}

interface Point {
  readonly attributes?: readonly Attribute[]
  readonly asDouble?: number
  readonly asInt?: string
  /** Of a histogram. */
  readonly count?: string
}

interface RawMetric {
  readonly name: string
  readonly sum?: { readonly dataPoints?: readonly Point[] }
  readonly gauge?: { readonly dataPoints?: readonly Point[] }
  readonly histogram?: { readonly dataPoints?: readonly Point[] }
}

interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly RawMetric[] }[]
  }[]
}

/** The metrics of the last export that a collector got. The value of a histogram is its count. */
export async function metricsOf(python: string, collector: Collector): Promise<readonly ExportedMetric[]> {
  const requests = (await decode(python, collector, 'metrics')) as MetricsRequest[]
  return (requests.at(-1)?.resourceMetrics ?? [])
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)
    .map((metric) => {
      const kind = (['sum', 'gauge', 'histogram'] as const).find((name) => metric[name] !== undefined)!
      const points = (metric[kind]!.dataPoints ?? []).map(({ attributes, asDouble, asInt, count }) => ({
        attributes: attributesOf(attributes),
        value: Number(asDouble ?? asInt ?? count ?? 0),
      }))
      return { name: metric.name, kind, points }
    })
}

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex')

function attributesOf(list: readonly Attribute[] = []): ExportedSpan['attributes'] {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, boolValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? doubleValue ?? Number(intValue),
    ]),
  )
}
