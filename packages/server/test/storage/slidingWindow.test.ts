import { describe, expect, test } from 'vitest'
import { slidingWindow } from '../../src/storage/slidingWindow.ts'

const LIMIT = { max: 3, windowMs: 60_000 }
const NOW = 1_000_000

const state = (sentAt: readonly number[], limit = LIMIT) => {
  const { allowed, state } = slidingWindow(sentAt, limit, NOW)
  return [allowed, state.remaining, state.resetMs]
}

describe('a sliding window', () => {
  test('allows sends up to its limit, and returns when the first of them leaves it', () => {
    expect(state([])).toEqual([true, 2, 60_000])
    expect(state([NOW - 20_000])).toEqual([true, 1, 40_000])
    expect(state([NOW - 20_000, NOW - 10_000])).toEqual([true, 0, 40_000])
    expect(state([NOW - 20_000, NOW - 10_000, NOW])).toEqual([false, 0, 40_000])
  })

  test('returns when one more is allowed, also under a lowered limit', () => {
    expect(state([NOW - 40_000, NOW - 30_000, NOW - 20_000, NOW - 10_000])).toEqual([false, 0, 30_000])
    expect(state([NOW - 40_000], { ...LIMIT, max: 0 })).toEqual([false, 0, 60_000])
  })

  test('never requires a wait longer than itself, whatever the times of other sends', () => {
    expect(state([NOW + 500, NOW + 600, NOW + 700])).toEqual([false, 0, 60_000])
    expect(state([NOW - 60_000, NOW, NOW])).toEqual([false, 0, 1])
  })
})
