import { BenchError } from '../frame/benchError.ts'
import { lastToFirst, ratioMetric } from '../frame/ratio.ts'
import type { Goal, Scenario } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { FULL_SPEED_METRICS, measureFullSpeed } from '../measure/fullSpeed.ts'

const FLAGS = {
  nodes: { kind: 'counts', help: 'number of nodes in each variant', usual: [1, 2, 4] },
  webhooks: WEBHOOKS,
} as const

const variantOf = (nodes: number) => `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`

export const nodes: Scenario<typeof FLAGS> = {
  name: 'nodes',
  summary: 'throughput of several nodes together on one PostgreSQL, with a publisher and a receiver for each',
  flags: FLAGS,
  ...USUAL,
  stores: ['postgres'],
  variants: ({ flags }) => flags.nodes.map(variantOf),
  metrics: FULL_SPEED_METRICS,
  derived: { kept: ratioMetric('throughput, last to first', lastToFirst('deliveriesPerSecond')) },
  headline: 'deliveriesPerSecond',
  goals: (): Goal[] => [{ metric: 'kept', atLeast: 0.85 }],

  round(settings) {
    const counts = new Map(settings.flags.nodes.map((count) => [variantOf(count), count]))
    if (counts.has(variantOf(0))) throw new BenchError('--nodes must be whole numbers from 1')
    return (variant) => {
      const count = counts.get(variant)!
      const webhooks = Math.ceil(settings.flags.webhooks / count)
      return measureFullSpeed(settings, { seconds: settings.seconds, nodes: count, webhooks })
    }
  },
}
