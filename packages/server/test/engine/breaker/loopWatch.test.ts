import { describe, expect, test } from 'vitest'
import { LoopWatch } from '../../../src/engine/breaker/loopWatch.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { recordedLog } from '../fakes.ts'

function setUp() {
  const clock = new ManualClock()
  const log = recordedLog()
  const watch = new LoopWatch(clock, log)
  watch.start()
  return { clock, log, watch }
}

describe('an event loop that is late', () => {
  test('by 1 s or more is known to attempts in flight, and to those that began before it was noticed', () => {
    const { clock, watch } = setUp()
    clock.advance(500)
    clock.stall(1_500)
    expect(watch.wasLateSince(500)).toBe(true)
    expect(watch.wasLateSince(2_000)).toBe(true)
    clock.advance(3_000)
    expect(watch.wasLateSince(2_001)).toBe(false)
  })

  test('is logged once, with its length', () => {
    const { clock, log, watch } = setUp()
    clock.advance(500)
    clock.stall(4_500)
    watch.wasLateSince(0)
    clock.advance(10_000)
    expect(log.lines).toEqual([
      {
        level: 'warn',
        message:
          'This process could not work for 4 seconds. Attempts that timed out in that time do not count and are repeated. Check whether the machine is overloaded, swapping or paused.',
      },
    ])
  })

  test('by less is not', () => {
    const { clock, log, watch } = setUp()
    clock.stall(1_900)
    clock.advance(3_000)
    expect(watch.wasLateSince(0)).toBe(false)
    expect(log.lines).toEqual([])
  })
})
