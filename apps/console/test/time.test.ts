import { expect, test } from 'vitest'
import { durationText, estimateText, relativeTime, secondsText, utcTime } from '../src/shared/time.ts'

test('durations are shown in the two largest units', () => {
  const texts = [0, 12.4, 999, 1_000, 9_960, 59_000, 60_000, 185_000, 7_800_000, 86_400_000, 273_600_000]
  expect(texts.map(durationText)).toEqual([
    '0 ms',
    '12 ms',
    '999 ms',
    '1.0 s',
    '10 s',
    '59 s',
    '1 min',
    '3 min 5 s',
    '2 h 10 min',
    '1 d',
    '3 d 4 h',
  ])
})

test('no duration shows more of a unit than the next larger one holds', () => {
  expect([999.7, 9_999, 59_999, 3_599_999, 86_399_999].map(durationText)).toEqual([
    '1.0 s',
    '10 s',
    '1 min',
    '1 h',
    '1 d',
  ])
})

test('a time is shown relative to now, before and after', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  expect(relativeTime('2026-03-01T11:57:10.000Z', now)).toBe('2 minutes ago')
  expect(relativeTime('2026-03-02T12:00:00.000Z', now)).toBe('tomorrow')
  expect(relativeTime('2026-03-01T11:59:59.900Z', now)).toBe('just now')
  expect(relativeTime('2026-03-01T12:00:09.000Z', now)).toBe('just now')
})

test('seconds are whole, and at least one', () => {
  expect([-5, 0, 900, 3_200, 59_900, 61_000].map(secondsText)).toEqual([
    '1 s',
    '1 s',
    '1 s',
    '4 s',
    '1 min',
    '1 min 1 s',
  ])
})

test('an estimate never says now, and is no finer than ten seconds', () => {
  const now = Date.parse('2026-03-01T12:00:00.000Z')
  const texts = [-60_000, 0, 5_000, 5_001, 12_000, 55_000, 185_000].map((ms) =>
    estimateText(new Date(now + ms).toISOString(), now),
  )
  expect(texts).toEqual([
    'within seconds',
    'within seconds',
    'within seconds',
    'in 10 s',
    'in 20 s',
    'in 1 min',
    'in 3 min 5 s',
  ])
})

test('UTC is the time of the API, in readable form', () => {
  expect(utcTime('2026-03-01T11:57:10.123Z')).toBe('2026-03-01 11:57:10.123 UTC')
})
