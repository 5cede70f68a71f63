import { describe, expect, it } from 'vitest'
import { ServerTime } from '../src/model/serverTime.ts'

const AT = Date.parse('2026-05-06T10:00:00.000Z')
const MINUTE_MS = 60_000

/**
 * A browser whose clock is behind by `behindMs` asks at `at` by the service's clock. The answer takes
 * `tookMs`.
 */
function ask(time: ServerTime, at: number, { behindMs = 0, tookMs = 40 } = {}) {
  time.note({ told: String(at), sentAt: at - behindMs, receivedAt: at - behindMs + tookMs })
}

describe('the clock of the service', () => {
  it.each([0, 900, -900])('is the browser’s own when that is %i ms behind', (behindMs) => {
    const time = new ServerTime()
    for (let ms = 0; ms < 3_000; ms += 130) ask(time, AT + ms, { behindMs })
    expect(time.aheadMs).toBe(0)
  })

  it.each([7 * MINUTE_MS, -7 * MINUTE_MS])(
    'is derived from the answers when the browser’s is %i ms behind, and stays stable',
    (behindMs) => {
      const time = new ServerTime()
      ask(time, AT + 300, { behindMs })
      const aheadMs = time.aheadMs
      expect(Math.abs(aheadMs - behindMs)).toBeLessThan(50)
      for (let ms = 0; ms < 3_000; ms += 130) ask(time, AT + ms, { behindMs })
      expect(time.aheadMs).toBe(aheadMs)
    },
  )

  it('is uncertain while answers are slow', () => {
    const time = new ServerTime()
    ask(time, AT, { tookMs: 30_000 })
    expect(time.aheadMs).toBe(0)
    ask(time, AT, { behindMs: 5 * MINUTE_MS, tookMs: 30_000 })
    expect(Math.abs(time.aheadMs - 5 * MINUTE_MS)).toBeLessThan(20_000)
    ask(time, AT, { behindMs: 5 * MINUTE_MS })
    expect(Math.abs(time.aheadMs - 5 * MINUTE_MS)).toBeLessThan(50)
  })

  it('follows the browser’s clock once that is corrected', () => {
    const time = new ServerTime()
    ask(time, AT, { behindMs: MINUTE_MS })
    ask(time, AT)
    expect(time.aheadMs).toBe(0)
  })

  it.each([null, '', 'soon', '-1'])('ignores the header %j', (told) => {
    const time = new ServerTime()
    time.note({ told, sentAt: AT, receivedAt: AT })
    expect(time.aheadMs).toBe(0)
  })
})
