import { describe, expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { CatchUpLimiter } from '../../src/engine/schedule/catchUpLimiter.ts'
import { ManualClock } from '../support/manualClock.ts'

/** Slots for 10 hanging attempts a second. */
const SLOTS = 150

/** A limiter after a minute of sending `perSecond`, all of it without enough slots. */
function behind(perSecond: number) {
  const clock = new ManualClock()
  const limiter = new CatchUpLimiter(clock, SLOTS, () => 15 * SECOND_MS)
  limiter.waits()
  for (let i = 0; i < 60 * perSecond; i++) {
    expect(limiter.waitMs()).toBe(0)
    limiter.went()
    clock.advance(SECOND_MS / perSecond)
    limiter.waits()
  }
  expect(limiter.waitMs()).toBe(0)
  return { clock, limiter }
}

/** How many are sent in each minute, with a check at every chance. */
function goneEachMinute({ clock, limiter }: ReturnType<typeof behind>, minutes: number): number[] {
  return Array.from({ length: minutes }, () => {
    let gone = 0
    for (const end = clock.monotonic() + MINUTE_MS; clock.monotonic() < end; ) {
      const inMs = limiter.waitMs()
      if (inMs > 0) clock.advance(Math.ceil(inMs))
      else {
        limiter.went()
        gone++
      }
    }
    return gone
  })
}

describe('the rate', () => {
  test('is never less than the slots allow, however often a single receiver answers', () => {
    const it = behind(10)
    const gone = Array.from({ length: 20 }, () => {
      it.limiter.answered()
      it.clock.advance(SECOND_MS)
      return goneEachMinute(it, 1)[0]!
    })
    for (const inAMinute of gone) expect(inAMinute).toBeGreaterThanOrEqual(590)
  })

  test('delays nothing before deliveries have waited for a minute without a break', () => {
    const clock = new ManualClock()
    const limiter = new CatchUpLimiter(clock, SLOTS, () => 15 * SECOND_MS)
    limiter.waits()
    clock.advance(59 * SECOND_MS)
    limiter.caughtUp()
    limiter.waits()
    clock.advance(59 * SECOND_MS)
    for (let i = 0; i < 1000; i++) limiter.went()
    expect([limiter.waitMs(), limiter.active]).toEqual([0, false])
  })

  test('starts at the rate of that minute', () => {
    const it = behind(20)
    const [first] = goneEachMinute(it, 1)
    expect(it.limiter.active).toBe(true)
    expect(first).toBeGreaterThanOrEqual(1190)
    expect(first).toBeLessThanOrEqual(1220)
  })

  test('is never less than the slots allow while receivers hang', () => {
    const [first] = goneEachMinute(behind(1), 1)
    expect(first).toBeGreaterThanOrEqual(590)
    expect(first).toBeLessThanOrEqual(620)
  })

  test('grows as long as only it delays deliveries, and ends at most at three times the average', () => {
    const gone = goneEachMinute(behind(20), 60)
    expect(gone[9]! / gone[0]!).toBeGreaterThan(1.7)
    expect(gone[59]! / gone[0]!).toBeGreaterThan(20)
    const mean = gone.reduce((sum, count) => sum + count) / gone.length
    expect(gone[59]!).toBeLessThan(3 * mean)
  })

  test('does not grow, but shrinks to the previous rate, while there are no slots', () => {
    const it = behind(20)
    goneEachMinute(it, 20)
    const { clock, limiter } = it
    for (let i = 0; i < 30 * 60 * 20; i++) {
      clock.advance(50)
      limiter.waits()
      limiter.went()
    }
    const [after] = goneEachMinute(it, 1)
    expect(after).toBeLessThanOrEqual(1220)
  })

  test('is more cautious after the first fast answer within a minute', () => {
    const it = behind(20)
    it.limiter.answered()
    const [first, second] = goneEachMinute(it, 2)
    expect(first).toBeLessThanOrEqual(915)
    it.limiter.answered()
    expect(second).toBeLessThanOrEqual(930)
    const third = goneEachMinute(it, 1)[0]!
    expect(third).toBeLessThan(second!)
  })

  test('counts the sends of others, but for a second at most', () => {
    const { clock, limiter } = behind(20)
    for (let i = 0; i < 1000; i++) limiter.went()
    expect(limiter.waitMs()).toBeGreaterThan(900)
    clock.advance(1100)
    expect(limiter.waitMs()).toBe(0)
  })

  test('makes up for a late timer, but not for hours of idleness', () => {
    const { clock, limiter } = behind(100)
    limiter.went()
    expect(limiter.waitMs()).toBeGreaterThan(0)
    clock.advance(60 * MINUTE_MS)
    let gone = 0
    for (; limiter.waitMs() === 0; gone++) limiter.went()
    expect(gone).toBeLessThanOrEqual(7)
  })

  test('ends when nothing waits any more', () => {
    const { limiter } = behind(1)
    limiter.went()
    expect(limiter.waitMs()).toBeGreaterThan(0)
    limiter.caughtUp()
    expect([limiter.waitMs(), limiter.active]).toEqual([0, false])
  })
})
