import { expect, test } from 'vitest'
import { TokenBucket } from '../../src/core/tokenBucket.ts'

const bucket = () => new TokenBucket({ perMs: 2, capacity: 100 }, 1000)

test('allows its burst at once, and then its rate', () => {
  const one = bucket()
  one.use(99, 1000)
  expect(one.waitMs(1000)).toBe(0)
  one.use(1, 1000)
  expect(one.waitMs(1000)).toBe(1)
  expect(one.waitMs(1001)).toBe(0)
})

test('a use that is larger than the rest makes the next one wait', () => {
  const one = bucket()
  one.use(300, 1000)
  expect(one.waitMs(1000)).toBe(101)
  expect(one.waitMs(1100)).toBe(1)
  expect(one.waitMs(1101)).toBe(0)
})

test('is never fuller than its burst', () => {
  const one = bucket()
  one.use(10, 1000)
  one.use(100, 900_000)
  expect(one.waitMs(900_000)).toBe(1)
})

test('accepts another rate: earlier use still counts, and at most the new burst is left', () => {
  const one = bucket()
  one.use(300, 1000)
  one.setRate(10, 100, 1000)
  expect(one.waitMs(1000)).toBeLessThanOrEqual(21)
  expect(one.waitMs(1021)).toBe(0)
  const other = bucket()
  other.setRate(1, 5, 1000)
  other.use(5, 1000)
  expect(other.waitMs(1000)).toBe(1)
})
