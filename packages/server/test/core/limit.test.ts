import { describe, expect, test } from 'vitest'
import { isLimited, NO_LIMIT, portionOf, sendRateOf } from '../../src/core/limit.ts'
import { SLOW_DOWN_CAP_MS, slowDownMs } from '../../src/core/retryAfter.ts'

describe('the number of deliveries that a claim takes for a limited webhook', () => {
  test.each([
    [{ maxPerSecond: 0.01, maxInFlight: null }, 1],
    [{ maxPerSecond: 0.5, maxInFlight: 10 }, 1],
    [{ maxPerSecond: 5, maxInFlight: null }, 10],
    [{ maxPerSecond: 10_000, maxInFlight: null }, 128],
    [{ maxPerSecond: null, maxInFlight: 1 }, 32],
    [{ maxPerSecond: null, maxInFlight: 1_000 }, 128],
  ])('lasts for some seconds, and is small: %o', (limit, portion) => {
    expect(isLimited(limit)).toBe(true)
    expect(portionOf(limit)).toBe(portion)
  })
})

describe('the rate of a webhook', () => {
  test('is the slower of the limit and the slots', () => {
    expect(sendRateOf({ maxPerSecond: 5, maxInFlight: null }, 10, 100)).toBe(5)
    expect(sendRateOf({ maxPerSecond: 500, maxInFlight: 2 }, 2, 100)).toBe(20)
    expect(sendRateOf({ maxPerSecond: null, maxInFlight: 2 }, 2, 500)).toBe(4)
  })

  test('is the limit while the receiver is unknown, and unknown without a rate', () => {
    expect(sendRateOf({ maxPerSecond: 5, maxInFlight: 1 }, 1, null)).toBe(5)
    expect(sendRateOf({ ...NO_LIMIT, maxInFlight: 1 }, 1, null)).toBeNull()
  })
})

describe('how long an answer slows down a receiver', () => {
  const at = Date.UTC(2026, 0, 5, 9)

  test.each([
    [429, '7', 7_000],
    [503, '7', 7_000],
    [503, new Date(at + 9_000).toUTCString(), 9_000],
    [429, '86400', SLOW_DOWN_CAP_MS],
    [429, '0', 0],
    [429, 'soon', 0],
    [429, null, 0],
    [500, '7', 0],
    [200, '7', 0],
    [null, null, 0],
  ])('%o with Retry-After %o: %i ms', (statusCode, retryAfter, ms) => {
    expect(slowDownMs({ statusCode, retryAfter }, at)).toBe(ms)
  })
})
