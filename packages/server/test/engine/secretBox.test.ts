import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretBox, SealError } from '../../src/engine/secretBox.ts'

const box = createSecretBox([randomBytes(32)])

describe('the secret box', () => {
  test('decrypts its own output, for the right owner', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        expect(box.open(box.seal(secret, owner), owner)).toBe(secret)
      }),
    )
  })

  test('never encrypts the same way twice, and never shows the secret', () => {
    const [a, b] = [box.seal('whsec_abc', 'wh_1'), box.seal('whsec_abc', 'wh_1')]
    expect(Buffer.compare(a, b)).not.toBe(0)
    expect(Buffer.from(a).includes('whsec_abc')).toBe(false)
  })

  test('rejects changed, truncated or foreign data, and names the owner', () => {
    const sealed = box.seal('whsec_abc', 'wh_1')
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed)
      changed[i]! ^= 1
      expect(() => box.open(changed, 'wh_1')).toThrow(SealError)
      expect(() => box.open(sealed.subarray(0, i), 'wh_1')).toThrow(SealError)
    }
    expect(() => box.open(sealed, 'wh_2')).toThrow(/wh_2/)
  })

  const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
  const before = createSecretBox([OLD])
  const prepared = createSecretBox([OLD, NEW])
  const switched = createSecretBox([NEW, OLD])
  const done = createSecretBox([NEW], { writesKeyIds: true })

  test('with several keys encrypts with the first, names it, and decrypts data of any of them', () => {
    const boxes = [before, prepared, switched]
    for (const box of [prepared, switched])
      for (const other of boxes) expect(box.open(other.seal('whsec_abc', 'wh_1'), 'wh_1')).toBe('whsec_abc')
    expect(switched.keyIds).toEqual(prepared.keyIds.toReversed())
    expect(done.open(switched.seal('whsec_abc', 'wh_1'), 'wh_1')).toBe('whsec_abc')
    for (const box of [before, prepared])
      expect(() => done.open(box.seal('whsec_abc', 'wh_1'), 'wh_1')).toThrow(SealError)
  })

  test('names the missing key by its id, which is the same on every node', () => {
    const sealed = prepared.seal('whsec_abc', 'wh_1')
    expect(() => done.open(sealed, 'wh_1')).toThrow(
      `the secret of wh_1 needs the master key ${before.keyIds[0]}, which is not in POSTHORN_MASTER_KEY`,
    )
    expect(before.keyIds[0]).toMatch(/^[0-9a-f]{16}$/)
  })

  test('recognizes data under the current key, even if it does not name the key', () => {
    expect(switched.isCurrent(switched.seal('a', 'wh_1'))).toBe(true)
    expect(switched.isCurrent(done.seal('a', 'wh_1'))).toBe(true)
    expect(switched.isCurrent(prepared.seal('a', 'wh_1'))).toBe(false)
    expect(switched.isCurrent(createSecretBox([NEW]).seal('a', 'wh_1'))).toBe(false)
  })

  test('rejects changed data also where it names its key', () => {
    const sealed = switched.seal('whsec_abc', 'wh_1')
    for (let i = 0; i < sealed.length; i++) {
      const changed = Uint8Array.from(sealed)
      changed[i]! ^= 1
      expect(() => switched.open(changed, 'wh_1')).toThrow(SealError)
      expect(() => switched.open(sealed.subarray(0, i), 'wh_1')).toThrow(SealError)
    }
  })

  test('with another master key decrypts nothing', () => {
    const sealed = box.seal('whsec_abc', 'wh_1')
    expect(() => createSecretBox([randomBytes(32)]).open(sealed, 'wh_1')).toThrow(/POSTHORN_MASTER_KEY/)
  })
})
