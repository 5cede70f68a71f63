import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HmacKey } from '../../src/profiles/hmacKey.ts'

const ENCODINGS = ['base64', 'hex'] as const

describe('an HMAC', () => {
  test('equals that of node:crypto for any key and texts, including lone surrogates', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }))
    const halves = text.map((whole) => whole.replaceAll(/[\udc00-\udfff]/g, ''))
    const property = fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.oneof(text, halves),
      fc.oneof(text, halves),
      fc.constantFrom(...ENCODINGS),
      fc.constantFrom('sha256' as const, 'sha512' as const),
      (key, prefix, body, encoding, hash) => {
        const expected = createHmac(hash, key).update(prefix).update(body).digest(encoding)
        expect(new HmacKey(hash, key).sign(prefix, body, encoding)).toBe(expected)
      },
    )
    fc.assert(property)
  })

  test.each([
    ['sha256', 63],
    ['sha256', 64],
    ['sha256', 65],
    ['sha256', 1_024],
    ['sha512', 127],
    ['sha512', 128],
    ['sha512', 129],
  ] as const)('of %s accepts a key of %i bytes', (hash, length) => {
    const bytes = Buffer.alloc(length, 0xa7)
    expect(new HmacKey(hash, bytes).sign('a.', 'b', 'hex')).toBe(
      createHmac(hash, bytes).update('a.b').digest('hex'),
    )
  })

  test('of a long body, and of short ones after it', () => {
    const key = new HmacKey('sha256', Buffer.alloc(32, 5))
    for (const body of ['ü'.repeat(300_000), 'x', '', 'y'.repeat(20_000)]) {
      const expected = createHmac('sha256', Buffer.alloc(32, 5)).update(`id.${body}`).digest('base64')
      expect(key.sign('id.', body, 'base64')).toBe(expected)
    }
  })
})
