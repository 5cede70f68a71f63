import { expect, test } from 'vitest'
import { HOUR_MS, SECOND_MS } from '../../../src/core/duration.ts'
import { OpenNotes } from '../../../src/engine/breaker/openNotes.ts'
import { FailureLog } from '../../../src/engine/log/failureLog.ts'
import type { CallParams } from '../../../src/storage/callGroups.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from '../fakes.ts'

function setUp(lastNotedMsAgo: number | null = null) {
  const clock = new ManualClock()
  const state = {
    openAt: lastNotedMsAgo === null ? null : clock.now() - lastNotedMsAgo,
    held: null as number | null,
  }
  const noted: CallParams<'noteOpen'>[] = []
  const { calls: counts, call: count } = openCalls<void, number>()
  const storage = storageOf({
    readOpen: async () => state.openAt,
    noteOpen: async (params) => {
      noted.push(params)
      state.openAt = params.now
    },
  })
  const notes = new OpenNotes({
    storage: storage.egress,
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    clockWatch: { steadySince: null },
    heldSince: () => state.held,
    countDue: () => count(),
  })
  /** Sending is stopped. */
  const hold = () => {
    state.held = clock.now()
    notes.held()
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= SECOND_MS) {
      clock.advance(SECOND_MS)
      await settled()
    }
  }
  const start = async () => {
    notes.start()
    clock.advance(0)
    await settled()
  }
  return { clock, notes, noted, counts, hold, pass, start }
}

test('sending resumes without waiting for a count, with the last count', async () => {
  const { notes, noted, counts, hold, pass, start } = setUp()
  await start()
  hold()
  await pass(SECOND_MS)
  counts[0]!.resolve(3)
  await pass(10 * SECOND_MS)
  expect(counts.length).toBeGreaterThan(1)
  expect(await notes.note()).toBe(3)
  expect(noted.at(-1)).toMatchObject({ waited: 3 })
  await notes.stop()
})

test('due deliveries are counted again every 5 s while sending is stopped, and a failed count keeps the last one', async () => {
  const { notes, counts, hold, pass, start } = setUp()
  await start()
  hold()
  // The first count comes at once.
  await pass(SECOND_MS)
  await pass(5 * SECOND_MS)
  expect(counts).toHaveLength(2)
  counts[0]!.resolve(5)
  await settled()
  counts[1]!.reject(away())
  await settled()
  expect(await notes.note()).toBe(5)
  await notes.stop()
})

test('a count of an earlier outage is not reported for the next', async () => {
  const { notes, counts, hold, pass, start } = setUp()
  await start()
  hold()
  await pass(SECOND_MS)
  counts[0]!.resolve(3)
  await settled()
  expect(await notes.note()).toBe(3)
  hold()
  expect(await notes.note()).toBe(0)
  await notes.stop()
})

test('a node starts after an outage though due deliveries cannot be counted', async () => {
  const { notes, noted, counts, start } = setUp(60 * SECOND_MS)
  await start()
  counts[0]!.reject(away())
  await settled()
  expect(noted).toMatchObject([{ waited: 0 }])
  await notes.stop()
})

test('an outage began no earlier than the own last note, however the wall clock leapt; times are whole milliseconds', async () => {
  const { clock, notes, start } = setUp()
  expect(notes.outageNotBefore).toBeNull()
  await start()
  const notedAt = clock.now()
  clock.monotonic = () => ManualClock.prototype.monotonic.call(clock) + 0.4
  clock.advance(3 * SECOND_MS)
  expect(notes.outageNotBefore).toBe(notedAt)
  clock.leap(HOUR_MS)
  expect(notes.outageNotBefore).toBe(notedAt + HOUR_MS)
  await notes.stop()
})
