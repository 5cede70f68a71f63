import { expect, test } from 'vitest'
import { StepSize } from '../../../src/storage/sqlite/stepSize.ts'

/** Steps of up to 200 rows that may take 3 ms. */
function setUp() {
  let now = 0
  let [rowMs, there] = [0.1, 1_000]
  const step = new StepSize({
    clock: { monotonic: () => now },
    work({ limit }: { readonly limit: number; readonly holdMs?: number }) {
      const rows = Math.min(limit, there)
      now += rows * rowMs
      return rows
    },
    isFull: (rows, limit) => rows >= limit,
  })
  const steps = (count: number) => Array.from({ length: count }, () => step.run({ limit: 200, holdMs: 3 }))
  const change = (to: { readonly rowMs?: number; readonly there?: number }) => {
    rowMs = to.rowMs ?? rowMs
    there = to.there ?? there
  }
  return { step, steps, change }
}

test('a step that took too long makes the next ones smaller', () => {
  const { steps } = setUp()
  expect(steps(3)).toEqual([200, 30, 30])
})

test('no step handles less than a tenth of its limit', () => {
  const { steps, change } = setUp()
  change({ rowMs: 100 })
  expect(steps(3)).toEqual([200, 20, 20])
})

test('steps grow again, up to their limit, once rows take less time', () => {
  const { steps, change } = setUp()
  steps(1)
  change({ rowMs: 0.06 })
  expect(steps(6)).toEqual([30, 38, 47, 50, 50, 50])
  change({ rowMs: 0.001 })
  expect(steps(10).at(-1)).toBe(200)
})

test('a step with little to do does not change the size', () => {
  const { steps, change } = setUp()
  steps(1)
  change({ there: 5 })
  steps(20)
  change({ there: 1_000 })
  expect(steps(1)).toEqual([30])
})

test('a step that may delay others handles its whole limit', () => {
  const { step, steps } = setUp()
  steps(1)
  expect(step.run({ limit: 200 })).toBe(200)
})
