import { describe, expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { Loop } from '../../src/engine/loop.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled } from './fakes.ts'

function loopOf(work: () => Promise<number | null>, intervalMs = 1000) {
  const clock = new ManualClock()
  const log = recordedLog()
  const failureLog = new FailureLog(clock, log)
  return { clock, log, loop: new Loop({ name: 'test loop', clock, failureLog, intervalMs, work }) }
}

/** A loop whose rounds end when the test says so. */
function openLoop() {
  const { calls: rounds, call } = openCalls<void, number | null>()
  return { rounds, ...loopOf(() => call()) }
}

async function tick(clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms)
  await settled()
}

describe('a loop', () => {
  test('runs at its start and then at every interval', async () => {
    let rounds = 0
    const { clock, loop } = loopOf(async () => {
      rounds++
      return null
    })
    loop.start()
    await tick(clock, 0)
    expect(rounds).toBe(1)
    await tick(clock, 999)
    expect(rounds).toBe(1)
    await tick(clock, 1)
    expect(rounds).toBe(2)
  })

  test('runs when its work requested it, but never later than the interval', async () => {
    const asked = [100, 5000, 0]
    let rounds = 0
    const { clock, loop } = loopOf(async () => asked[rounds++] ?? null)
    loop.start()
    await tick(clock, 0)
    await tick(clock, 100)
    expect(rounds).toBe(2)
    await tick(clock, 999)
    expect(rounds).toBe(2)
    await tick(clock, 1)
    expect(rounds).toBe(3)
    await tick(clock, 0)
    expect(rounds).toBe(4)
  })

  test('started twice runs once; stopped twice, or before its start, it just stops', async () => {
    const { clock, loop, rounds } = openLoop()
    await loop.stop()
    loop.start()
    loop.start()
    await tick(clock, 0)
    expect(rounds).toHaveLength(1)
    rounds[0]!.resolve(null)
    await Promise.all([loop.stop(), loop.stop()])
    await tick(clock, 10_000)
    expect([rounds.length, clock.pending]).toEqual([1, 0])
  })

  test('stops once the current round has ended', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.start()
    await tick(clock, 0)
    let stopped = false
    const stopping = loop.stop().then(() => {
      stopped = true
    })
    await settled()
    expect(stopped).toBe(false)
    rounds[0]!.resolve(0)
    await stopping
    expect(clock.pending).toBe(0)
  })

  test('can start again after a stop', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.start()
    await loop.stop()
    loop.start()
    await tick(clock, 0)
    expect(rounds).toHaveLength(1)
  })

  test('woken during a round it runs again right after, once', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.start()
    await tick(clock, 0)
    loop.wake()
    loop.wake()
    rounds[0]!.resolve(null)
    await settled()
    await tick(clock, 0)
    expect(rounds).toHaveLength(2)
    rounds[1]!.resolve(null)
    await settled()
    await tick(clock, 999)
    expect(rounds).toHaveLength(2)
  })

  test('woken for later during a round it keeps that time, also when it comes before the round ends', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.start()
    await tick(clock, 0)
    loop.wake(50)
    rounds[0]!.resolve(null)
    await settled()
    await tick(clock, 50)
    expect(rounds).toHaveLength(2)
    loop.wake(20)
    await tick(clock, 30)
    expect(rounds).toHaveLength(2)
    rounds[1]!.resolve(null)
    await settled()
    await tick(clock, 0)
    expect(rounds).toHaveLength(3)
  })

  test('woken for later than it is due already, it is not delayed', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.start()
    loop.wake(500)
    await tick(clock, 0)
    expect(rounds).toHaveLength(1)
  })

  test('woken before its start or after its stop does nothing', async () => {
    const { clock, loop, rounds } = openLoop()
    loop.wake()
    expect(clock.pending).toBe(0)
    loop.start()
    await loop.stop()
    loop.wake()
    await tick(clock, 10_000)
    expect(rounds).toHaveLength(0)
  })

  test('runOnce makes one round without a start, and joins a running one', async () => {
    const { loop, clock, rounds } = openLoop()
    const both = Promise.all([loop.runOnce(), loop.runOnce()])
    expect(rounds).toHaveLength(1)
    rounds[0]!.resolve(0)
    await both
    expect(clock.pending).toBe(0)
  })

  test('logs an error and continues after the interval', async () => {
    const { clock, log, loop, rounds } = openLoop()
    loop.start()
    await tick(clock, 0)
    rounds[0]!.reject(away())
    await settled()
    expect(log.lines).toEqual([{ level: 'error', message: 'test loop failed; retrying' }])
    await tick(clock, 1000)
    expect(rounds).toHaveLength(2)
  })

  test('retries soon after an error if its interval is long', async () => {
    let rounds = 0
    const work = async () => {
      if (++rounds === 1) throw away()
      return null
    }
    const { clock, log, loop } = loopOf(work, 3_600_000)
    loop.start()
    await tick(clock, 0)
    await tick(clock, 9_999)
    expect(rounds).toBe(1)
    await tick(clock, 1)
    expect(rounds).toBe(2)
    expect(log.lines.at(-1)).toEqual({ level: 'info', message: 'test loop works again' })
    await tick(clock, 3_599_999)
    expect(rounds).toBe(2)
  })

  test('joins a round that fails without failing itself', async () => {
    const { loop, rounds } = openLoop()
    const once = loop.runOnce()
    rounds[0]!.reject(away())
    await expect(once).resolves.toBeUndefined()
  })
})
