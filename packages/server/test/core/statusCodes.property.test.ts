import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAmong, mayBeSuccess, parseStatusCodes } from '../../src/core/statusCodes.ts'

const code = fc.integer({ min: 100, max: 999 })

test('a code matches its number and its class, and nothing else', () => {
  fc.assert(
    fc.property(code, code, fc.integer({ min: 2, max: 5 }), (wanted, other, first) => {
      expect(isAmong(parseStatusCodes(String(wanted))!, other)).toBe(wanted === other)
      expect(isAmong(parseStatusCodes(`${first}xx`)!, other)).toBe(Math.floor(other / 100) === first)
      expect(isAmong('none', other)).toBe(false)
    }),
  )
})

test('without a response there is no code, and only "none" finds that', () => {
  fc.assert(
    fc.property(code, (wanted) => {
      expect(isAmong(parseStatusCodes(String(wanted))!, null)).toBe(false)
    }),
  )
  expect(isAmong(parseStatusCodes('none')!, null)).toBe(true)
  expect(isAmong(parseStatusCodes('5xx')!, null)).toBe(false)
})

test('the filter for success finds exactly the codes from 200 to 299', () => {
  const texts = fc.oneof(code.map(String), fc.constantFrom('2xx', '3xx', '4xx', '5xx', 'none'))
  fc.assert(
    fc.property(texts, (text) => {
      const codes = parseStatusCodes(text)!
      const found = Array.from({ length: 100 }, (_, i) => 200 + i).some((one) => isAmong(codes, one))
      expect(mayBeSuccess(codes)).toBe(found)
    }),
  )
})

test('nothing else is a valid filter', () => {
  const isMeant = (text: string) =>
    text === 'none' ||
    (text.length === 3 && Number(text) >= 100 && Number(text) <= 999 && !/\D/.test(text)) ||
    ['2xx', '3xx', '4xx', '5xx'].includes(text)
  const near = fc.stringMatching(/^[0-9xnoe \n]{0,5}$/)
  fc.assert(
    fc.property(fc.oneof(near, fc.string()), (text) => {
      expect(parseStatusCodes(text) !== null).toBe(isMeant(text))
    }),
    { numRuns: 1000 },
  )
})
