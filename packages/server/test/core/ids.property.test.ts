import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prefixedFormat, uuidFormat } from '../../src/core/idFormat.ts'
import { type DerivedKind, deriveId, type IdKey, newId, resolveId } from '../../src/core/ids.ts'

const word = fc.nat({ max: 0xffffffff })
const key: fc.Arbitrary<IdKey> = fc.tuple(word, word, word, word)
const kind = fc.constantFrom<DerivedKind>('event', 'delivery')
const rowId = fc.oneof(fc.nat({ max: 1000 }), fc.maxSafeNat())
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const ref = fc.record({ rowId, createdAt: time })
const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 })
const FORMATS = [prefixedFormat('evt_'), uuidFormat]

describe('derived ids', () => {
  test('map back to their row, for any row, time and key', () => {
    fc.assert(
      fc.property(kind, ref, key, (kind, ref, key) => {
        expect(resolveId(kind, deriveId(kind, ref, key), key)).toEqual(ref)
      }),
      { numRuns: 1000 },
    )
  })

  test('are UUIDs of version 7 that show the time of the row', () => {
    fc.assert(
      fc.property(kind, ref, key, (kind, ref, key) => {
        const uuid = uuidFormat.format(deriveId(kind, ref, key))
        expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)).toBe(ref.createdAt)
      }),
    )
  })

  test('of different kinds, keys or rows differ', () => {
    fc.assert(
      fc.property(ref, rowId, key, key, (ref, otherRow, key, otherKey) => {
        fc.pre(otherRow !== ref.rowId && key.join() !== otherKey.join())
        const id = hex(deriveId('event', ref, key))
        expect(hex(deriveId('delivery', ref, key))).not.toBe(id)
        expect(hex(deriveId('event', ref, otherKey))).not.toBe(id)
        expect(hex(deriveId('event', { ...ref, rowId: otherRow }, key))).not.toBe(id)
      }),
    )
  })

  test('sort by time, whatever the rows', () => {
    fc.assert(
      fc.property(ref, ref, key, (a, b, key) => {
        fc.pre(a.createdAt !== b.createdAt)
        for (const format of FORMATS) {
          const order = format.format(deriveId('event', a, key)) < format.format(deriveId('event', b, key))
          expect(order).toBe(a.createdAt < b.createdAt)
        }
      }),
    )
  })

  test('hide how many rows there are: neighbors share no more bits than by chance', () => {
    const key: IdKey = [1, 2, 3, 4]
    let same = 0
    for (let row = 0; row < 1000; row++) {
      const [a, b] = [row, row + 1].map((rowId) => deriveId('event', { rowId, createdAt: 0 }, key))
      for (let i = 9; i < 16; i++) same += 8 - ones(a![i]! ^ b![i]!)
    }
    expect(same / (1000 * 56)).toBeCloseTo(0.5, 1)
  })

  test('with one flipped bit are rejected, except 1 in 4,096', () => {
    const random = randomBytes(16)
    const key: IdKey = [0, 4, 8, 12].map((at) => random.readUInt32LE(at)) as unknown as IdKey
    const accepted = new Array<number>(128).fill(0)
    const samples = 400
    for (let sample = 0; sample < samples; sample++) {
      const id = deriveId('event', { rowId: sample * 977, createdAt: 1_767_600_000_000 + sample }, key)
      for (let bit = 0; bit < 128; bit++) {
        const flipped = Uint8Array.from(id)
        flipped[bit >> 3]! ^= 0x80 >> (bit & 7)
        if (resolveId('event', flipped, key) !== null) accepted[bit]!++
      }
    }
    // No bit is free to change, as in an id with a second spelling.
    expect(Math.max(...accepted)).toBeLessThan(samples / 20)
    expect(accepted.reduce((sum, count) => sum + count)).toBeLessThan((samples * 128) / 1000)
  })

  test('created with another key or for another kind are rejected, except 1 in 4,096', () => {
    let accepted = 0
    for (let rowId = 0; rowId < 4096; rowId++) {
      const id = deriveId('event', { rowId, createdAt: 1_767_600_000_000 + rowId }, [1, 2, 3, 4])
      if (resolveId('event', id, [5, 6, 7, 8]) !== null) accepted++
      if (resolveId('delivery', id, [1, 2, 3, 4]) !== null) accepted++
    }
    expect(accepted).toBeLessThan(10)
  })

  test('invented by others are rejected without an error', () => {
    fc.assert(
      fc.property(kind, bytes16, key, (kind, bytes, key) => {
        const found = resolveId(kind, bytes, key)
        if (found !== null) expect(deriveId(kind, found, key)).toEqual(bytes)
      }),
      { numRuns: 2000 },
    )
  })
})

test('new ids are UUIDs of version 7 that sort by time', () => {
  const random = fc.uint8Array({ minLength: 10, maxLength: 10 })
  fc.assert(
    fc.property(time, time, random, random, (a, b, randomA, randomB) => {
      fc.pre(a !== b)
      const [idA, idB] = [uuidFormat.format(newId(a, randomA)), uuidFormat.format(newId(b, randomB))]
      expect(idA[14]).toBe('7')
      expect('89ab').toContain(idA[19])
      expect(idA < idB).toBe(a < b)
    }),
  )
})

describe.each([
  ['base32', prefixedFormat('evt_')],
  ['UUID', uuidFormat],
])('the %s form', (_, format) => {
  test('reads what it writes', () => {
    fc.assert(
      fc.property(bytes16, (bytes) => {
        expect(format.parse(format.format(bytes))).toEqual(bytes)
      }),
    )
  })

  test('sorts as the bytes do', () => {
    fc.assert(
      fc.property(bytes16, bytes16, (a, b) => {
        const order = Math.sign(Buffer.compare(a, b))
        const [textA, textB] = [format.format(a), format.format(b)]
        expect(textA < textB ? -1 : textA > textB ? 1 : 0).toBe(order)
      }),
    )
  })

  test('rejects anything else', () => {
    const damaged = fc
      .tuple(bytes16, fc.nat({ max: 40 }), fc.constantFrom('', 'U', '!', 'é', ' ', '-', '00', '\n'))
      .map(([bytes, at, noise]) => {
        const text = format.format(bytes)
        return { text: text.slice(0, at) + noise + text.slice(at + 1), original: text }
      })
    fc.assert(
      fc.property(damaged, ({ text, original }) => {
        fc.pre(text.toLowerCase() !== original)
        expect(format.parse(text)).toBeNull()
      }),
    )
    for (const text of ['', 'evt_', 'evt_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'wh_01hzzzzzzzzzzzzzzzzzzzzzzz']) {
      expect(format.parse(text), text).toBeNull()
    }
  })
})

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function ones(byte: number): number {
  return byte.toString(2).replaceAll('0', '').length
}
