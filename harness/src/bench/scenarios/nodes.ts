import type { PosthornProcess } from '../../support/posthorn.ts'
import { BenchError } from '../frame/benchError.ts'
import { decimals } from '../frame/figures.ts'
import { lastToFirst } from '../frame/ratio.ts'
import type { Goal, Scenario } from '../frame/scenario.ts'
import { FULL_SPEED_FIGURES, runFullSpeed, WARM_UP_DELIVERIES } from '../measure/fullSpeed.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'

const FLAGS = {
  nodes: { kind: 'counts', help: 'how many there are, in each variant', usual: [1, 2, 4] },
  webhooks: { kind: 'count', help: 'webhooks that share the load', usual: 50 },
} as const

const variantOf = (nodes: number) => `${nodes} ${nodes === 1 ? 'node' : 'nodes'}`

export const nodes: Scenario<typeof FLAGS> = {
  name: 'nodes',
  summary: 'throughput of several nodes together on one PostgreSQL, with a publisher and a receiver for each',
  flags: FLAGS,
  stores: ['postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
  variants: ({ flags }) => flags.nodes.map(variantOf),
  figures: FULL_SPEED_FIGURES,
  derived: {
    kept: {
      ...decimals('throughput, last to first', 2),
      of: lastToFirst('deliveriesPerSecond'),
    },
  },
  headline: 'deliveriesPerSecond',
  goals: (): Goal[] => [{ figure: 'kept', atLeast: 0.85 }],

  round(settings) {
    const counts = new Map(settings.flags.nodes.map((count) => [variantOf(count), count]))
    if (counts.has(variantOf(0))) throw new BenchError('--nodes must be whole numbers from 1')
    return (variant) =>
      measureOnStage(settings, async (stage) => {
        const loads = counts.get(variant)!
        const services: PosthornProcess[] = []
        while (services.length < loads) services.push(await stage.startService())
        return runFullSpeed(stage, services, {
          loads,
          webhooks: Math.ceil(settings.flags.webhooks / loads),
          seconds: settings.seconds,
          // Each process has its own code to compile.
          warmUpDeliveries: WARM_UP_DELIVERIES * loads,
        })
      })
  },
}
