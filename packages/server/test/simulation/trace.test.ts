import { expect, test } from 'vitest'
import { HOUR_MS } from '../../src/core/duration.ts'
import { Draws } from './draws.ts'
import { planOfMany } from './population.ts'
import { runInMemory, traceOf } from './run.ts'
import { PATIENCE_MS } from './seeds.ts'

async function trace(seed: number): Promise<string> {
  const plan = planOfMany(new Draws(seed), 300, 6 * HOUR_MS)
  return traceOf(await runInMemory(plan, { overdueMs: HOUR_MS, peopleEveryMs: HOUR_MS }))
}

test(
  'the same seed makes the same happen at the same times, and another seed does not',
  async () => {
    const first = await trace(11)
    expect(await trace(11)).toBe(first)
    expect(await trace(12)).not.toBe(first)
  },
  PATIENCE_MS,
)
