import type { HrTime } from '@opentelemetry/api'
import { ValueType } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'

type Metric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>
type Value = Metric['values'][number]
type Labels = Value['labels']

/** The period that a collection covers. */
interface Period {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

/** Exports the metrics of a Prometheus registry to OpenTelemetry under the same names. */
export class RegistryMetrics implements MetricProducer {
  readonly #registry: Registry
  readonly #resource: Resource
  readonly #scope: { readonly name: string; readonly version: string }
  readonly #now: () => HrTime
  readonly #startTime: HrTime

  constructor(params: {
    readonly registry: Registry
    readonly resource: Resource
    readonly scope: { readonly name: string; readonly version: string }
    readonly now: () => HrTime
  }) {
    this.#registry = params.registry
    this.#resource = params.resource
    this.#scope = params.scope
    this.#now = params.now
    this.#startTime = params.now()
  }

  async collect(): Promise<CollectionResult> {
    const metrics = (await this.#registry.getMetricsAsJSON()) as Metric[]
    const period = { startTime: this.#startTime, endTime: this.#now() }
    return {
      resourceMetrics: {
        resource: this.#resource,
        scopeMetrics: [{ scope: this.#scope, metrics: metrics.map((metric) => dataOf(metric, period)) }],
      },
      errors: [],
    }
  }
}

/** @throws Error for types of metrics that Posthorn does not use */
function dataOf(metric: Metric, period: Period): MetricData {
  const { name, help, values } = metric
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const type = String(metric.type)
  if (type === 'histogram')
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(name, values, period) }
  const dataPoints = values
    // NaN: it could not be read.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...period, attributes: attributesOf(labels), value }))
  if (type === 'counter')
    return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints }
  throw new Error(`metrics of the type ${type} cannot be sent`)
}

/** The buckets of a registry are cumulative, those of OpenTelemetry are not. */
function histograms(name: string, values: readonly Value[], period: Period) {
  const groups = new Map<string, { readonly labels: Labels; readonly values: Value[] }>()
  for (const value of values) {
    const { le: _bound, ...labels } = value.labels as Record<string, string | number>
    const key = JSON.stringify(labels)
    const group = groups.get(key) ?? { labels, values: [] }
    group.values.push(value)
    groups.set(key, group)
  }
  return [...groups.values()].map(({ labels, values: ofGroup }) => {
    const of = (suffix: string) => ofGroup.filter(({ metricName }) => metricName === `${name}_${suffix}`)
    const upTo = of('bucket')
    const counts = upTo.map(({ value }, at) => value - (upTo[at - 1]?.value ?? 0))
    const boundaries = upTo.map(({ labels: { le } }) => Number(le)).filter((bound) => Number.isFinite(bound))
    const sum = of('sum')[0]?.value ?? 0
    const count = of('count')[0]?.value ?? 0
    return {
      ...period,
      attributes: attributesOf(labels),
      value: { buckets: { boundaries, counts }, sum, count },
    }
  })
}

const attributesOf = (labels: Labels) =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]))
