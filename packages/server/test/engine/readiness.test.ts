import { expect, test } from 'vitest'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { wrapCalls } from '../support/flatStorage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startTestEngine } from '../support/testEngine.ts'
import { openTestStore } from '../support/testStore.ts'

test('the store is checked once a second at most, also while it fails', async () => {
  const clock = new ManualClock()
  const real = await openTestStore(clock)
  let [checks, isAway] = [0, false]
  const storage = wrapCalls(real.storage, (name, call) => async (params) => {
    if (name !== 'check') return call(params)
    checks += 1
    if (isAway) throw new StoreUnavailableError('away')
    return call(params)
  })
  const { engine, stop } = await startTestEngine({ clock, store: { storage, remove: real.remove } })
  const checkOften = () => Promise.allSettled(Array.from({ length: 100 }, () => engine.check()))

  await checkOften()
  await checkOften()
  expect(checks).toBe(1)
  clock.advance(1_000)
  isAway = true
  expect((await checkOften()).map(({ status }) => status)).toEqual(Array(100).fill('rejected'))
  await checkOften()
  expect(checks).toBe(2)
  isAway = false
  clock.advance(1_000)
  await engine.check()
  expect(checks).toBe(3)

  engine.announceStop()
  await expect(engine.check()).rejects.toThrow('stopping')
  await stop()
})
