import { resourceFromAttributes } from '@opentelemetry/resources'
import { DataPointType } from '@opentelemetry/sdk-metrics'
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/cli/metrics.ts'
import { RegistryMetrics } from '../../../src/cli/telemetry/registryMetrics.ts'

async function collected(registry: Registry) {
  let now = 5
  const producer = new RegistryMetrics({
    registry,
    resource: resourceFromAttributes({}),
    scope: { name: 'test', version: '1' },
    now: () => [now++, 0],
  })
  const { resourceMetrics } = await producer.collect()
  return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics)
}

test('counters, gauges and histograms keep names, labels and values', async () => {
  const registry = new Registry()
  const registers = [registry]
  new Counter({ name: 'made_total', help: 'Made', labelNames: ['kind'], registers }).inc({ kind: 'a' }, 3)
  new Gauge({ name: 'open', help: 'Open', registers }).set(-2)
  const took = new Histogram({
    name: 'took_seconds',
    help: 'Took',
    labelNames: ['kind'],
    buckets: [1, 5],
    registers,
  })
  for (const seconds of [0.5, 1, 4, 60]) took.observe({ kind: 'a' }, seconds)
  took.observe({ kind: 'b' }, 2)
  const period = { startTime: [5, 0], endTime: [6, 0] }
  expect(await collected(registry)).toMatchObject([
    {
      descriptor: { name: 'made_total', description: 'Made' },
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: [{ ...period, attributes: { kind: 'a' }, value: 3 }],
    },
    {
      descriptor: { name: 'open' },
      dataPointType: DataPointType.GAUGE,
      dataPoints: [{ attributes: {}, value: -2 }],
    },
    {
      descriptor: { name: 'took_seconds' },
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: [
        {
          attributes: { kind: 'a' },
          value: { buckets: { boundaries: [1, 5], counts: [2, 1, 1] }, sum: 65.5, count: 4 },
        },
        { attributes: { kind: 'b' }, value: { buckets: { counts: [0, 1, 0] }, sum: 2, count: 1 } },
      ],
    },
  ])
})

test('unreadable values are left out', async () => {
  const registry = new Registry()
  new Gauge({ name: 'unknown', help: 'Unknown', registers: [registry] }).set(Number.NaN)
  expect(await collected(registry)).toMatchObject([{ descriptor: { name: 'unknown' }, dataPoints: [] }])
})

test('every metric of the service can be sent', async () => {
  const { registry } = createMetrics({ statements: 1, commits: 1 })
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name)
  expect((await collected(registry)).map(({ descriptor }) => descriptor.name)).toEqual(names)
})

test('an unsupported type is a programming error', async () => {
  const registry = new Registry()
  new Summary({ name: 'summed', help: 'Summed', registers: [registry] }).observe(1)
  await expect(collected(registry)).rejects.toThrow('metrics of the type summary cannot be sent')
})
