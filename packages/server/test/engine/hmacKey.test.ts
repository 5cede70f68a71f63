import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HmacKey } from '../../src/engine/attempt/hmacKey.ts'

const ENCODINGS = ['base64', 'base64url', 'hex'] as const

describe('an HMAC', () => {
  test('is that of node:crypto, whatever the key and the texts are, half surrogate pairs among them', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }))
    const halves = text.map((whole) => whole.replaceAll(/[\udc00-\udfff]/g, ''))
    const property = fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.oneof(text, halves),
      fc.oneof(text, halves),
      fc.constantFrom(...ENCODINGS),
      (key, prefix, body, encoding) => {
        const expected = createHmac('sha256', key).update(prefix).update(body).digest(encoding)
        expect(new HmacKey(key).hmac(prefix, body, encoding)).toBe(expected)
      },
    )
    fc.assert(property)
  })

  test.each([63, 64, 65, 1_024])('takes a key of %i bytes', (length) => {
    const bytes = Buffer.alloc(length, 0xa7)
    expect(new HmacKey(bytes).hmac('a.', 'b', 'hex')).toBe(
      createHmac('sha256', bytes).update('a.b').digest('hex'),
    )
  })

  test('of a long body, and of short ones after it', () => {
    const key = new HmacKey(Buffer.alloc(32, 5))
    for (const body of ['ü'.repeat(300_000), 'x', '', 'y'.repeat(20_000)]) {
      const expected = createHmac('sha256', Buffer.alloc(32, 5)).update(`id.${body}`).digest('base64')
      expect(key.hmac('id.', body, 'base64')).toBe(expected)
    }
  })
})
