import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { boolean, integer, positiveDuration } from '../settingValues.ts'
import { httpUrl } from '../webSettings.ts'
import { optional, setting } from './setting.ts'

const SIGNALS = ['traces', 'metrics'] as const
export type Signal = (typeof SIGNALS)[number]

/** The settings of OpenTelemetry. */
export const TELEMETRY_SETTINGS = {
  otlpEndpoint: {
    ...optional(
      'POSTHORN_OTLP_ENDPOINT',
      'URL of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318',
      collectorUrl,
    ),
    details:
      'URL of an OpenTelemetry collector (OTLP over HTTP, protobuf), such as `http://127.0.0.1:4318`; Posthorn adds `/v1/traces` and `/v1/metrics` ([traces](operations/traces.md))',
    withoutIt: 'no traces or metrics are sent',
  },
  otlpHeaders: {
    ...optional(
      'POSTHORN_OTLP_HEADERS',
      'headers for the collector, such as an API key: name=value, separated by commas',
      collectorHeaders,
    ),
    details:
      'headers for the collector, as `name=value,name=value`; write `%2C` for a comma and `%25` for a percent sign',
    secret: 'whole',
  },
  otlpSignals: {
    ...setting<readonly Signal[]>(
      'POSTHORN_OTLP_SIGNALS',
      'what is sent to the collector: traces, metrics or both, separated by commas',
      'traces,metrics',
      SIGNALS,
      signals,
    ),
    details: 'what is sent to the collector: `traces`, `metrics` or both. `/metrics` is served regardless',
    isList: true,
  },
  otlpMetricsEvery: setting(
    'POSTHORN_OTLP_METRICS_EVERY',
    'how often metrics are sent to the collector; 1s to 1h',
    '60s',
    MINUTE_MS,
    metricsInterval,
  ),
  traceSampling: {
    ...setting(
      'POSTHORN_TRACE_SAMPLING',
      'share of publish requests that are traced if they have no traceparent header, from 0 to 1',
      '0.01',
      0.01,
      ratio,
    ),
    details:
      'share of publish requests that are traced if they have no `traceparent` header, from `0` to `1`. A request with the header is traced if its sampled flag is set',
  },
  traceMaxSpans: {
    ...setting(
      'POSTHORN_TRACE_MAX_SPANS',
      'spans per second that one node records',
      '500',
      500,
      integer(1, 10_000),
    ),
    details:
      'spans per second that one node records, averaged over 10 seconds; further spans are dropped and counted. One workspace may use half of the limit',
  },
  traceReceivers: {
    ...setting(
      'POSTHORN_TRACE_RECEIVERS',
      'whether deliveries carry a traceparent header: true or false',
      'true',
      true,
      boolean,
    ),
    details:
      'whether deliveries of traced events carry a `traceparent` header to receivers; has no effect unless traces are sent to a collector',
  },
} as const

function collectorUrl(value: string): string {
  const url = httpUrl(value)
  const { search, hash, pathname } = new URL(url)
  if (search !== '' || hash !== '')
    throw new Error('remove the query and fragment (from ? or # on); set an API key in POSTHORN_OTLP_HEADERS')
  if (/\/v1\/(traces|metrics)$/.test(pathname))
    throw new Error('remove /v1/traces or /v1/metrics at the end; Posthorn adds them')
  return url
}

/** No message shows the value: it mostly has an API key. */
function collectorHeaders(value: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    value.split(',').map((item) => {
      const [, name = '', text = ''] =
        /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!-~ ]*?)\s*$/.exec(item) ?? []
      const decoded = decodedOf(text)
      if (name === '' || decoded === null || decoded === '')
        throw new Error(
          'use name=value pairs separated by commas, such as Authorization=Bearer%20abc,X-Team=hooks',
        )
      return [name, decoded]
    }),
  )
}

function signals(value: string): readonly Signal[] {
  const named = value.split(',').map((item) => item.trim())
  const unknown = named.find((name) => !SIGNALS.some((signal) => signal === name))
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is neither traces nor metrics; use one or both, such as traces,metrics`)
  return SIGNALS.filter((signal) => named.includes(signal))
}

function ratio(value: string): number {
  const number = Number(value)
  if (!/^\d+(\.\d+)?$/.test(value) || number > 1)
    throw new Error(`"${value}" is not a number from 0 to 1, such as 0.01 for one percent`)
  return number
}

function metricsInterval(value: string): number {
  const ms = positiveDuration(value)
  if (ms < SECOND_MS || ms > HOUR_MS)
    throw new Error(`"${value}" is not a duration from 1s to 1h, such as 60s`)
  return ms
}

function decodedOf(text: string): string | null {
  try {
    const decoded = decodeURIComponent(text)
    return /^[!-~ ]*$/.test(decoded) ? decoded : null
  } catch {
    return null
  }
}
