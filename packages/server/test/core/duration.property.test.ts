import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration, SECOND_MS } from '../../src/core/duration.ts'

const UNITS = [
  ['ms', 1],
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
] as const

test('a whole number of any unit is exact, with surrounding white space', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 999_999_999 }),
      fc.constantFrom(...UNITS),
      fc.constantFrom('', ' ', '\t'),
      (count, [unit, ms], pad) => {
        expect(parseDuration(`${pad}${count}${unit}${pad}`)).toBe(count * ms)
      },
    ),
  )
})

test('a fraction is rounded to the millisecond', () => {
  fc.assert(
    fc.property(fc.nat({ max: 99_999 }), fc.constantFrom(...UNITS), (hundredths, [unit, ms]) => {
      const text = (hundredths / 100).toFixed(2)
      expect(parseDuration(text + unit)).toBe(Math.round(Number(text) * ms))
    }),
  )
  expect(parseDuration('4.5m')).toBe(270_000)
  expect(parseDuration('0.4ms')).toBe(0)
})

test.each([
  '',
  's',
  '5',
  '-5s',
  '+5s',
  '5 s',
  '5S',
  '5min',
  '5s5m',
  '.5s',
  '5.s',
  '1e3s',
  '0x5s',
  '5000000000s',
  '5,5s',
  '٥s',
])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull()
})

test('never throws, and never returns a negative number or a fraction', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text)
      if (ms !== null) expect(ms >= 0 && Number.isSafeInteger(ms)).toBe(true)
    }),
  )
})
