import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretBox, SealError } from '../../src/engine/secretBox.ts'

const box = createSecretBox(randomBytes(32))

describe('the secret box', () => {
  test('opens what it sealed, for the owner it was sealed for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        expect(box.open(box.seal(secret, owner), owner)).toBe(secret)
      }),
    )
  })

  test('never seals alike, and never shows the secret', () => {
    const [a, b] = [box.seal('whsec_abc', 'wh_1'), box.seal('whsec_abc', 'wh_1')]
    expect(Buffer.compare(a, b)).not.toBe(0)
    expect(Buffer.from(a).includes('whsec_abc')).toBe(false)
  })

  test('refuses what was changed, cut or sealed for another, and names the owner', () => {
    const sealed = box.seal('whsec_abc', 'wh_1')
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed)
      changed[i]! ^= 1
      expect(() => box.open(changed, 'wh_1')).toThrow(SealError)
      expect(() => box.open(sealed.subarray(0, i), 'wh_1')).toThrow(SealError)
    }
    expect(() => box.open(sealed, 'wh_2')).toThrow(/wh_2/)
  })

  test('of another master key opens nothing', () => {
    const sealed = box.seal('whsec_abc', 'wh_1')
    expect(() => createSecretBox(randomBytes(32)).open(sealed, 'wh_1')).toThrow(/POSTHORN_MASTER_KEY/)
  })
})
