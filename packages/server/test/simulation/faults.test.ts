import { describe, expect, test } from 'vitest'
import { failureOf, repeatSeed, runChaos, summaryOf } from './chaosRun.ts'
import { manySeedsOr, PATIENCE_MS } from './seeds.ts'

describe('nodes on one store, with any faults', () => {
  test.each(manySeedsOr(8).map((seed) => ({ seed })))(
    'keep their guarantees, seed $seed',
    async ({ seed }) => {
      const run = await runChaos(seed)
      process.stdout.write(`${summaryOf(run, seed)}\n`)
      expect(failureOf(run, repeatSeed(seed))).toBe('')
    },
    PATIENCE_MS,
  )
})
