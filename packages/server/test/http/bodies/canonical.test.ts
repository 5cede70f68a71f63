import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LoopTurns } from '../../../src/http/shared/bodies/turns.ts'
import { fingerprintOf, jsonExceeds, slicedFingerprintOf } from '../../../src/http/shared/canonical.ts'

test('a fingerprint is the same with and without pauses', async () => {
  let time = 0
  const turns = new LoopTurns({ monotonic: () => time++ })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 5 })), async (values) => {
      expect(await slicedFingerprintOf(values, turns.slice('a'))).toEqual(fingerprintOf(values))
    }),
  )
})

test('whether JSON takes more bytes than allowed follows from its length', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: -3, max: 3 }), (value, difference) => {
      const bytes = Buffer.byteLength(JSON.stringify(value))
      expect(jsonExceeds(value, bytes + difference)).toBe(difference < 0)
    }),
  )
})
