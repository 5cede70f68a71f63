import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts'
import { receiversReached } from '../../../src/engine/breaker/receiversReached.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { storageOf } from '../fakes.ts'

const clock = new ManualClock()
const now = clock.now()

/** Earliest time at which receivers must have been reached. */
async function sinceWhen(openAt: number | null, outages: readonly (readonly [number, number])[]) {
  const asked: (number | null)[] = []
  const { egress } = storageOf({
    readOpen: async () => openAt,
    listOutages: async () => outages.map(([beganAt, endedAt]) => ({ beganAt, endedAt, waited: 0 })),
    recentlyReached: async ({ since }) => {
      asked.push(since)
      return []
    },
  })
  await receiversReached(egress, clock)
  return now - asked[0]!
}

test('receivers are those reached in the last day', async () => {
  expect(await sinceWhen(null, [])).toBe(DAY_MS)
  expect(await sinceWhen(now, [])).toBe(DAY_MS)
})

test('time in which no node could send is left out, whether the outage is recorded or continues', async () => {
  expect(await sinceWhen(now - 26 * HOUR_MS, [])).toBe(DAY_MS + 26 * HOUR_MS)
  expect(await sinceWhen(now, [[now - 26 * HOUR_MS, now]])).toBe(DAY_MS + 26 * HOUR_MS)
  const two = [
    [now - 3 * HOUR_MS, now - HOUR_MS],
    [now - 30 * HOUR_MS, now - 25 * HOUR_MS],
    [now - 90 * HOUR_MS, now - 80 * HOUR_MS],
  ] as const
  expect(await sinceWhen(now, two)).toBe(DAY_MS + 7 * HOUR_MS)
})
