import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resultFromText, resultToText } from '../../src/storage/queries/changes.ts'

const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('$bytes', '$$bytes', '$', '__proto__', 'toJSON'),
)

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
    // Includes lone surrogates.
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.uint8Array(),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value'), { noNullPrototype: true }),
  ),
}))

test('a result is restored from its text unchanged, including bytes, however the text was encoded', () => {
  fc.assert(
    fc.property(value, (result) => {
      const stored = Buffer.from(resultToText(result), 'utf8').toString('utf8')
      expect(resultFromText(stored)).toStrictEqual(result)
    }),
    { numRuns: 1000 },
  )
})

test('bytes in a larger buffer are returned without the rest', () => {
  const part = Buffer.from('before bytes after').subarray(7, 12)
  const { body } = resultFromText(resultToText({ body: part })) as { body: Uint8Array }
  expect(body).toStrictEqual(Uint8Array.from(part))
  expect(body.buffer.byteLength).toBe(5)
})
