import { describe, expect, test } from 'vitest'
import { DAY_MS, durationInWords, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { Warnings } from '../../src/engine/log/warnings.ts'
import { ClockWatch } from '../../src/engine/maintenance/clockWatch.ts'
import { StoreClock } from '../../src/storage/postgres/storeClock.ts'
import { ManualClock } from '../support/manualClock.ts'
import { type RecordedLog, recordedLog, settled, storageOf } from './fakes.ts'

interface Noted {
  steadyAt: number | null
  leaptAt: number | null
}

async function setUp(noted: (now: number) => Noted, { maxLeapMs = 30 * SECOND_MS } = {}) {
  const machineClock = new ManualClock()
  const clock = new StoreClock(machineClock)
  clock.set(machineClock.now(), 0)
  const log = recordedLog()
  const warnings = new Warnings()
  const kept: Noted = noted(clock.now())
  const heard: (string | number)[] = []
  const watch = new ClockWatch({
    storage: storageOf({
      readClock: async () => ({ ...kept }),
      noteClock: async ({ steadyAt, leaptAt }) => {
        kept.steadyAt = steadyAt ?? kept.steadyAt
        kept.leaptAt = leaptAt ?? kept.leaptAt
      },
    }),
    clock,
    machineClock,
    limits: { maxLeapMs, graceMs: HOUR_MS },
    retentionMs: 30 * DAY_MS,
    log,
    failureLog: new FailureLog(clock, log),
    warnings,
    observer: { clockLeapt: (byMs) => heard.push(byMs) },
    onLeap: () => heard.push('leapt'),
    onSteady: () => heard.push('steady'),
  })
  await watch.start()
  const pass = async (ms: number) => {
    machineClock.advance(ms)
    await settled()
    // A round that began before the end of that time has seen only part of it.
    machineClock.advance(2 * SECOND_MS)
    await settled()
  }
  await settled()
  machineClock.advance(0)
  await settled()
  /** Sets the offset of the database's clock, and the node reads it. */
  const setDatabase = (ms: number) => clock.set(clock.now() + ms, machineClock.monotonic())
  const codes = () => warnings.list().map(({ code }) => code)
  return { watch, clock, machineClock, kept, heard, pass, setDatabase, codes, log }
}

const said = ({ lines }: RecordedLog) => lines.map(({ message }) => message).join()
const justNow = (now: number) => ({ steadyAt: now - MINUTE_MS, leaptAt: null })

describe('the clock check', () => {
  test('a recently used store shows that the clock is right, and the time is recorded again', async () => {
    const { watch, kept, clock, pass, heard, codes } = await setUp(justNow)
    expect(watch.steady).toBe(true)
    expect(kept).toEqual({ steadyAt: clock.now(), leaptAt: null })
    await pass(2 * MINUTE_MS)
    expect(kept.steadyAt).toBe(clock.now())
    expect([heard, codes()]).toEqual([['steady'], []])
  })

  test.each([
    ['a new store', null, null],
    ['a gap of more than a day', 2 * DAY_MS, null],
    ['a gap of more than a day since the first start', null, 2 * DAY_MS],
  ])('%s: earlier failures do not count, nor for a node that starts next', async (_, steady, leapt) => {
    const { watch, clock, kept } = await setUp((now) => ({
      steadyAt: steady === null ? null : now - steady,
      leaptAt: leapt === null ? null : now - leapt,
    }))
    expect([watch.steady, watch.steadySince, kept.leaptAt]).toEqual([false, clock.now(), clock.now()])
  })

  test('a new store has no time to compare with: the grace time passes, without a warning', async () => {
    const { watch, pass, codes, kept } = await setUp(() => ({ steadyAt: null, leaptAt: null }))
    expect([watch.steady, codes()]).toEqual([false, []])
    await pass(HOUR_MS - 3 * SECOND_MS)
    expect([watch.steady, kept.steadyAt]).toEqual([false, null])
    await pass(2 * SECOND_MS)
    expect([watch.steady, kept.steadyAt === null]).toEqual([true, false])
  })

  test.each([
    ['a gap of more than a day', 2 * DAY_MS, 'ahead of'],
    ['a time in the future', -HOUR_MS, 'behind'],
  ])('%s makes it pause, and is recorded once the grace time is over', async (_, gapMs, word) => {
    const { watch, pass, codes, kept, log, heard } = await setUp((now) => ({
      steadyAt: now - gapMs,
      leaptAt: null,
    }))
    const was = kept.steadyAt
    expect([watch.steady, codes(), kept.steadyAt]).toEqual([false, ['clock_gap'], was])
    expect(said(log)).toContain(word)
    await pass(HOUR_MS)
    expect([watch.steady, codes(), heard]).toEqual([true, [], ['steady']])
    expect(kept.steadyAt).not.toBe(was)
  })

  test("a leap of the database's clock is logged, recorded and waited out; little steps are followed", async () => {
    const { watch, clock, setDatabase, pass, codes, kept, heard } = await setUp(justNow)
    for (let i = 0; i < 5; i++) {
      setDatabase(29 * SECOND_MS)
      expect(watch.steady).toBe(true)
    }
    setDatabase(7 * DAY_MS)
    expect([watch.steady, watch.aheadMs]).toEqual([false, 7 * DAY_MS])
    const leaptAt = clock.now()
    await pass(2 * SECOND_MS)
    expect(kept.leaptAt).toBe(leaptAt)
    setDatabase(-7 * DAY_MS)
    expect([watch.steady, watch.aheadMs]).toEqual([false, 0])
    expect(watch.steadySince).toBe(clock.now())
    expect(heard).toEqual(['steady', 7 * DAY_MS, 'leapt', -7 * DAY_MS, 'leapt'])
    expect(codes()).toContain('clock_leapt')
    await pass(HOUR_MS)
    expect(watch.steady).toBe(true)
    expect(codes()).not.toContain('clock_leapt')
  })

  test("a warning lasts as long as the machine's clock differs from the database's", async () => {
    const { watch, machineClock, pass, codes, log } = await setUp(justNow)
    machineClock.leap(5 * MINUTE_MS)
    await pass(2 * SECOND_MS)
    expect(codes()).toEqual(['clock_differs'])
    expect(watch.steady).toBe(true)
    expect(watch.aheadOfMachineMs).toBeCloseTo(-5 * MINUTE_MS, -1)
    expect(said(log)).toContain("The database's clock is 5 minutes behind this machine's.")
    machineClock.leap(-5 * MINUTE_MS)
    await pass(2 * SECOND_MS)
    expect(codes()).toEqual([])
  })

  test('a leap recorded under a clock that was ahead is not in the future', async () => {
    const { watch, clock } = await setUp((now) => ({ steadyAt: now, leaptAt: now + 7 * DAY_MS }))
    expect(watch.steadySince).toBe(clock.now())
    expect(watch.steady).toBe(false)
  })
})

test.each([
  [45 * SECOND_MS, '45 seconds'],
  [SECOND_MS, '1 second'],
  [HOUR_MS, '1 hour'],
  [90 * MINUTE_MS, '90 minutes'],
  [DAY_MS, '1 day'],
  [40 * DAY_MS + HOUR_MS, '40 days'],
])('%i ms are %s', (ms, words) => expect(durationInWords(ms)).toBe(words))
