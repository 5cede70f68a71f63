import { batchesOf } from '../load/prepareLoad.ts'
import { FixedRatePublisher } from '../measure/fixedRate.ts'
import type { Attack } from './attack.ts'
import { GREEDY_METRICS, greedyAttacker, openGreedyLoad } from './greedy.ts'

const FLAGS = {
  times: { kind: 'count', help: 'greedy-paced: events in each publish request', usual: 100 },
} as const

export const greedyAtFixedRate: Attack<typeof FLAGS> = {
  name: 'greedy-paced',
  flags: FLAGS,
  metrics: GREEDY_METRICS,
  async start(scene) {
    const load = await openGreedyLoad(scene)
    // As many requests as each other tenant makes, each with `times` as many events.
    const streams = batchesOf(load.hooks, scene.flags.times).map(({ body, ...batch }) => ({
      ...batch,
      group: 'greedy',
      template: body,
      requestsPerSecond: scene.rate,
    }))
    const { stage, url } = scene
    const publisher = await FixedRatePublisher.start(stage, url, streams, load.files.acknowledged, true)
    return greedyAttacker(load, publisher.pid, publisher.finish)
  },
}
