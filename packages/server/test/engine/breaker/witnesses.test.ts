import { expect, test } from 'vitest'
import { MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts'
import type { Origin } from '../../../src/engine/breaker/knownOrigins.ts'
import { Witnesses } from '../../../src/engine/breaker/witnesses.ts'
import { Destination, type Target } from '../../../src/engine/egress/index.ts'
import { FailureLog } from '../../../src/engine/log/failureLog.ts'
import { Warnings } from '../../../src/engine/log/warnings.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { recordedLog, settled } from '../fakes.ts'

const REACHED: readonly Origin[] = [1, 2, 3].map(
  (id) => new Destination({ webhookId: id, workspaceId: id, url: `https://r${id}.example.com/in` }),
)

/** @param read the store's answer to each call */
async function started(read: () => readonly Origin[], operatorsTarget: Target | null = null) {
  const clock = new ManualClock()
  const log = recordedLog()
  let reads = 0
  const witnesses = new Witnesses({
    ...{ clock, random: () => 0.5, operatorsTarget, log },
    probe: (_, timeoutMs, callback) =>
      void clock.after(timeoutMs, () => callback({ fault: 'connect_timeout', address: '' })),
    readReached: async () => {
      reads++
      return read()
    },
    readAny: async () => [],
    failureLog: new FailureLog(clock, log),
    warnings: new Warnings(),
  })
  await witnesses.start()
  /** Lets time pass, a second at a time. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= SECOND_MS) {
      clock.advance(SECOND_MS)
      await settled()
    }
  }
  return { witnesses, pass, reads: () => reads }
}

test('a node that reached no receiver knows those of others before the store goes away', async () => {
  let reached: readonly Origin[] = []
  let isAway = false
  const { witnesses, pass } = await started(() => {
    if (isAway) throw new StoreUnavailableError('away')
    return reached
  })
  reached = REACHED
  await pass(MINUTE_MS)
  isAway = true
  const asked = await witnesses.some(undefined)
  expect(asked.map(({ name }) => name).sort()).toEqual(REACHED.map(({ origin }) => origin).sort())
})

test('the store is read once a minute while too few are known, and not once there are enough', async () => {
  let reached: readonly Origin[] = REACHED.slice(0, 2)
  const { pass, reads } = await started(() => reached)
  expect(reads()).toBe(1)
  await pass(5 * MINUTE_MS)
  expect(reads()).toBe(6)
  reached = REACHED
  await pass(10 * MINUTE_MS)
  expect(reads()).toBe(7)
})

test('the configured probe is usable until it is known not to answer', async () => {
  const { witnesses, pass } = await started(() => [], REACHED[0]!.target)
  expect(witnesses.mayTell).toBe(true)
  await pass(9 * SECOND_MS)
  expect(witnesses.mayTell).toBe(true)
  await pass(2 * SECOND_MS)
  // The store was read a moment ago as well, and knows none.
  await witnesses.others()
  expect(witnesses.mayTell).toBe(false)
})
