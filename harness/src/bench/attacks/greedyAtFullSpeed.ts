import { publishLoad } from '../measure/loads.ts'
import type { Attack } from './attack.ts'
import { GREEDY_METRICS, greedyAttacker, openGreedyLoad } from './greedy.ts'

export const greedyAtFullSpeed: Attack = {
  name: 'greedy-full-speed',
  flags: {},
  metrics: GREEDY_METRICS,
  async start(scene) {
    const load = await openGreedyLoad(scene)
    const publisher = publishLoad(scene.stage, [scene], load, 0, true)
    return greedyAttacker(load, publisher.pid, async () => {
      const { acknowledged, refused } = await publisher.finish()
      return { acknowledged, failed: { 429: refused } }
    })
  },
}
