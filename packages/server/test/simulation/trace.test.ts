import { expect, test } from 'vitest'
import { HOUR_MS } from '../../src/core/duration.ts'
import { runChaos } from './chaosRun.ts'
import { Draws } from './plans/draws.ts'
import { peopleOver } from './plans/people.ts'
import { planOfMany } from './plans/population.ts'
import { hashOf, type Run, runInMemory } from './run.ts'
import { PATIENCE_MS } from './seeds.ts'
import { lineOf } from './traceText.ts'

function runOfMany(seed: number): Promise<Run> {
  const plan = planOfMany(new Draws(seed), 300, 6 * HOUR_MS)
  const people = { everyMs: HOUR_MS, over: (store: Run['store']) => peopleOver(store, plan.draws) }
  return runInMemory(plan, { overdueMs: HOUR_MS, people })
}

test(
  'the same seed gives the same events at the same times, and another seed does not',
  async () => {
    const first = hashOf(await runOfMany(11))
    expect(hashOf(await runOfMany(11))).toBe(first)
    expect(hashOf(await runOfMany(12))).not.toBe(first)
  },
  PATIENCE_MS,
)

test(
  'the same holds where nodes are killed and calls of the store fail, word for word',
  async () => {
    const [first, second] = [await runChaos(11), await runChaos(11)].map(({ trace }) =>
      trace.entries.map(lineOf).join('\n'),
    )
    expect(first).toBe(second)
  },
  PATIENCE_MS,
)
