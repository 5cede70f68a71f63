import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ATTEMPT_ERROR_CODES } from '../../src/core/delivery.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts'
import { addToBucket, eachLine, line, readLine } from '../../src/core/stats/bucketText.ts'
import {
  attemptText,
  COUNTERS,
  counterOf,
  DELIVERY_COUNTER,
  endedText,
  FIRST_COUNTER,
  FORMER_RESPONSE_COUNTER,
  OUTCOMES,
  RESPONSE_COUNTER,
  restartedText,
} from '../../src/core/stats/counters.ts'
import { bucketOf, FINE, percentile, type Scale, WIDE } from '../../src/core/stats/histogram.ts'
import { PERIOD_MS, PERIODS, stepsOf } from '../../src/core/stats/periods.ts'
import { deliveredShare, deliveriesOf, summaryOf } from '../../src/core/stats/summary.ts'
import { addTally, compacted, readCounts, type Tally, writeCounts } from '../../src/core/stats/tally.ts'
import { coverOf, KEPT_MS, STATS_SCOPES, startOf, startsOf, UNIT_MS } from '../../src/core/stats/units.ts'

/** From a fraction of a millisecond to more than the last bucket begins at. */
const duration = fc.oneof(
  fc.double({ min: 0, max: 200_000_000, noNaN: true }),
  fc.double({ min: 0, max: 19, noNaN: true }).map((log) => Math.exp(log)),
  fc.nat(70_000),
)
const share = fc.oneof(fc.constantFrom(0.5, 0.95, 0.99, 1), fc.double({ min: 0.001, max: 1, noNaN: true }))

const SCALES = [
  ['a wide scale', WIDE, DAY_MS, 1.08],
  ['a fine scale', FINE, 100_000, 1.03],
] as const

const counted = (scale: Scale, durations: readonly number[]): { scale: Scale; counts: number[] } => {
  const counts: number[] = Array.from({ length: scale.buckets }, () => 0)
  for (const ms of durations) counts[bucketOf(scale, ms)]! += 1
  return { scale, counts }
}

describe.each(SCALES)('durations in buckets of %s', (_, scale, longest, within) => {
  test('a longer one is never in an earlier bucket, and all have one', () => {
    fc.assert(
      fc.property(duration, duration, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one]
        expect(bucketOf(scale, less)).toBeGreaterThanOrEqual(0)
        expect(bucketOf(scale, less)).toBeLessThanOrEqual(bucketOf(scale, more))
        expect(bucketOf(scale, more)).toBeLessThan(scale.buckets)
      }),
    )
    for (const ms of [Number.NEGATIVE_INFINITY, -1, Number.NaN]) expect(bucketOf(scale, ms)).toBe(0)
    expect(bucketOf(scale, Number.POSITIVE_INFINITY)).toBe(scale.buckets - 1)
  })

  test('a percentile is as close to the exact one as documented', () => {
    const some = fc.array(
      duration.map((ms) => Math.min(ms, longest)),
      { minLength: 1, maxLength: 200 },
    )
    fc.assert(
      fc.property(some, share, (durations, wanted) => {
        const sorted = durations.toSorted((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(wanted * sorted.length)) - 1]!
        const found = percentile([counted(scale, durations)], wanted)!
        if (exact < 1) expect(found).toBeLessThan(1)
        else {
          expect(found / exact).toBeGreaterThan(1 / within)
          expect(found / exact).toBeLessThan(within)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a higher percentile is never less', () => {
    const counts = fc.array(fc.nat(50), { minLength: scale.buckets, maxLength: scale.buckets })
    fc.assert(
      fc.property(counts, share, share, (buckets, one, other) => {
        fc.pre(buckets.some((count) => count > 0))
        const histograms = [{ scale, counts: buckets }]
        expect(percentile(histograms, Math.min(one, other))!).toBeLessThanOrEqual(
          percentile(histograms, Math.max(one, other))!,
        )
      }),
    )
  })

  test('without values there is no percentile', () => {
    expect(percentile([{ scale, counts: [0, 0] }], 0.5)).toBeNull()
    expect(percentile([], 0.5)).toBeNull()
  })
})

test('the counts of two scales are one set of durations', () => {
  const times = fc.array(
    duration.map((ms) => Math.min(ms, 100_000)),
    { minLength: 1, maxLength: 50 },
  )
  fc.assert(
    fc.property(times, times, share, (wide, fine, wanted) => {
      const sorted = [...wide, ...fine].toSorted((a, b) => a - b)
      const exact = Math.max(0.5, sorted[Math.max(1, Math.ceil(wanted * sorted.length)) - 1]!)
      const found = percentile([counted(WIDE, wide), counted(FINE, fine)], wanted)!
      // Two that differ by less than a bucket may be swapped.
      expect(found / exact).toBeGreaterThan(1 / (1.08 * 1.15))
      expect(found / exact).toBeLessThan(1.08 * 1.15 * 2)
    }),
  )
})

const tally = fc
  .array(fc.tuple(fc.nat(COUNTERS - 1), fc.integer({ min: 1, max: 1_000_000 })), { maxLength: 30 })
  .map((counts): Tally => new Map(counts))
const buckets = fc.array(fc.tuple(fc.nat(40), tally), { maxLength: 10 }).map((lines) => new Map(lines))

function read(text: string): Tally {
  const counts: Tally = new Map()
  readCounts(counts, text)
  return counts
}

describe('counts in a text', () => {
  test('are read as written, at any position', () => {
    fc.assert(
      fc.property(tally, fc.stringMatching(/^[a-z]{0,3}$/), (counts, before) => {
        const text = writeCounts(counts)
        const found: Tally = new Map()
        readCounts(found, `${before}${text}\n1`, before.length, before.length + text.length)
        expect(found).toEqual(counts)
      }),
    )
  })

  test('concatenated are added up', () => {
    expect(read(',1,300*4,1,1*2')).toEqual(
      new Map([
        [1, 4],
        [300, 4],
      ]),
    )
    fc.assert(
      fc.property(tally, tally, (one, other) => {
        const sum = new Map(one)
        addTally(sum, other)
        expect(read(writeCounts(one) + writeCounts(other))).toEqual(sum)
      }),
    )
  })

  test('mean the same when they are compacted', () => {
    fc.assert(
      fc.property(fc.array(tally, { maxLength: 6 }), (parts) => {
        const text = parts.map(writeCounts).join('')
        expect(read(compacted(text))).toEqual(read(text))
        expect(compacted(text).length).toBeLessThanOrEqual(text.length)
      }),
    )
    expect(compacted(',7'.repeat(1000))).toBe(',7*1000')
  })

  test('a bucket has the sums of all added counts, line by line', () => {
    fc.assert(
      fc.property(fc.array(buckets, { maxLength: 5 }), (all) => {
        const expected = new Map<number, Tally>()
        let bucket = ''
        for (const some of all) {
          bucket = addToBucket(bucket, new Map(Array.from(some, ([id, counts]) => [id, writeCounts(counts)])))
          for (const [id, counts] of some) {
            const sum = expected.get(id) ?? new Map()
            addTally(sum, counts)
            expected.set(id, sum)
          }
        }
        const seen = new Map<number, Tally>()
        eachLine(bucket, (id, from, to) => {
          expect(seen.has(id)).toBe(false)
          seen.set(id, read(bucket.slice(from, to)))
        })
        expect(seen).toEqual(expected)
        for (let id = 0; id <= 41; id++) {
          const counts: Tally = new Map()
          readLine(counts, bucket, id)
          expect(counts).toEqual(expected.get(id) ?? new Map())
        }
      }),
    )
  })

  test('an id is not found in a longer one', () => {
    const counts: Tally = new Map()
    readLine(counts, line(17, ',1') + line(71, ',2'), 7)
    readLine(counts, line(17, ',1') + line(71, ',2'), 1)
    expect(counts).toEqual(new Map())
  })
})

describe('an attempt', () => {
  const attempt = fc.record({
    number: fc.integer({ min: 1, max: 9 }),
    trigger: fc.constantFrom('schedule' as const, 'test' as const, 'replay' as const),
    errorCode: fc.option(fc.constantFrom(...ATTEMPT_ERROR_CODES)),
    startedAt: fc.integer({ min: 1_000_000, max: 2_000_000 }),
    durationMs: duration,
  })

  test('counts once by its outcome and its duration, and its delivery once', () => {
    fc.assert(
      fc.property(attempt, fc.integer({ min: 900_000, max: 2_100_000 }), (one, acceptedAt) => {
        const first = one.number === 1
        const expected: Tally = new Map([
          [counterOf(one.errorCode ?? 'delivered'), 1],
          [RESPONSE_COUNTER + bucketOf(FINE, one.durationMs), 1],
        ])
        if (first) expected.set(FIRST_COUNTER, 1)
        if (first && one.errorCode === null)
          expected.set(DELIVERY_COUNTER + bucketOf(WIDE, one.startedAt + one.durationMs - acceptedAt), 1)
        expect(read(attemptText(one, acceptedAt))).toEqual(expected)
      }),
    )
  })

  test('has its own counter for every outcome, separate from the others', () => {
    const counters = OUTCOMES.map(counterOf)
    expect(new Set(counters).size).toBe(OUTCOMES.length)
    for (const counter of counters) expect(counter).toBeLessThan(FIRST_COUNTER)
    const ranges = [
      [FORMER_RESPONSE_COUNTER, WIDE],
      [DELIVERY_COUNTER, WIDE],
      [RESPONSE_COUNTER, FINE],
    ] as const
    let end = 100
    for (const [from, { buckets }] of ranges) {
      expect(from).toBeGreaterThanOrEqual(end)
      end = from + buckets
    }
    expect(end).toBeLessThanOrEqual(COUNTERS)
    const others = [
      endedText('failed'),
      endedText('canceled'),
      restartedText({ status: 'failed', attempts: 1 }),
    ]
    for (const text of others) {
      expect(Number(text.slice(1))).toBeGreaterThan(FIRST_COUNTER)
      expect(Number(text.slice(1))).toBeLessThan(100)
    }
  })
})

describe('deliveries', () => {
  test('count once, where they ended last', () => {
    const counts: Tally = new Map()
    const attempt = { errorCode: null, startedAt: 0, durationMs: 9 }
    const [arrived, failed] = [attemptText({ ...attempt, number: 1 }, 0), endedText('failed')]
    readCounts(counts, arrived + arrived + failed + failed + endedText('canceled'))
    expect(deliveriesOf(counts)).toEqual({ delivered: 2, atFirst: 2, failed: 2, canceled: 1 })
    expect(deliveredShare(deliveriesOf(counts))).toBe(0.4)
    readCounts(counts, restartedText({ status: 'dead', attempts: 8 }))
    readCounts(counts, restartedText({ status: 'canceled', attempts: 0 }))
    readCounts(counts, restartedText({ status: 'delivered', attempts: 1 }))
    expect(deliveriesOf(counts)).toEqual({ delivered: 1, atFirst: 1, failed: 1, canceled: 0 })
    readCounts(counts, attemptText({ ...attempt, number: 2 }, 0).repeat(3))
    readCounts(counts, restartedText({ status: 'failed', attempts: 8 }))
    expect(deliveriesOf(counts)).toEqual({ delivered: 4, atFirst: 1, failed: 0, canceled: 0 })
    readCounts(counts, restartedText({ status: 'delivered', attempts: 2 }))
    expect(deliveriesOf(counts)).toEqual({ delivered: 3, atFirst: 1, failed: 0, canceled: 0 })
    expect(deliveredShare(deliveriesOf(counts))).toBe(1)
    expect(deliveredShare(deliveriesOf(new Map()))).toBeNull()
  })
})

test('a summary has the sums of outcomes, and none of outcomes that never occurred', () => {
  const counts: Tally = new Map([
    [0, 9],
    [1, 3],
    [11, 2],
    [50, 4],
    [RESPONSE_COUNTER + bucketOf(FINE, 100), 5],
  ])
  const summary = summaryOf(counts, 'workspace')
  expect(summary).toMatchObject({ events: 9, attempts: { delivered: 3, http_status: 2 }, deliveryMs: null })
  expect(Object.keys(summary.attempts)).toHaveLength(2)
  expect(summary.responseMs!.p50 / 100).toBeCloseTo(1, 1)
  const former: Tally = new Map([[FORMER_RESPONSE_COUNTER + bucketOf(WIDE, 100), 5]])
  expect(summaryOf(former, 'all').responseMs!.p50 / 100).toBeCloseTo(1, 0)
  expect(summaryOf(counts, 'webhook').events).toBe(4)
})

describe('times', () => {
  const now = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2090, 0, 1) })

  test('the steps of a period have whole units that are kept that long, and end now', () => {
    fc.assert(
      fc.property(now, fc.constantFrom(...PERIODS), fc.constantFrom(...STATS_SCOPES), (at, period, scope) => {
        const { unit, stepMs, from, to } = stepsOf(period, scope, at)
        expect(to - from).toBe(PERIOD_MS[period])
        expect((to - from) % stepMs).toBe(0)
        expect(stepMs % UNIT_MS[unit]).toBe(0)
        expect(from % UNIT_MS[unit]).toBe(0)
        expect(to - stepMs <= at && at < to).toBe(true)
        expect(KEPT_MS[scope][unit]!).toBeGreaterThan(at - from)
      }),
    )
  })

  test('spans that cover a time are adjacent and are kept that long', () => {
    fc.assert(
      fc.property(now, fc.constantFrom(...PERIODS), (at, period) => {
        const finest = period === '1h' ? 'minute' : 'hour'
        const to = startOf(at, UNIT_MS[finest]) + UNIT_MS[finest]
        const from = to - PERIOD_MS[period]
        let reached = from
        for (const { unit, starts } of coverOf(from, to, finest))
          for (const start of starts) {
            expect(start).toBe(reached)
            expect(start % UNIT_MS[unit]).toBe(0)
            expect(KEPT_MS.webhook[unit]!).toBeGreaterThan(at - start)
            reached += UNIT_MS[unit]
          }
        // The current day is counted up to now.
        expect(reached).toBeGreaterThanOrEqual(to)
        expect(reached - to).toBeLessThan(DAY_MS)
      }),
    )
  })

  test('starts are those of every span', () => {
    expect(startsOf(0, 3 * MINUTE_MS, 'minute')).toEqual([0, MINUTE_MS, 2 * MINUTE_MS])
    expect(startsOf(0, HOUR_MS + 1, 'hour')).toEqual([0, HOUR_MS])
    expect(startsOf(0, 0, 'day')).toEqual([])
  })
})
