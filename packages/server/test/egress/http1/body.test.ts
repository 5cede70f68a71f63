import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BodyReader, bodyReader } from '../../../src/engine/egress/http1/body.ts'

/** @param cuts positions where the bytes are split @returns the body, and its length in bytes */
function readInPieces(reader: BodyReader, bytes: Buffer, cuts: readonly number[]) {
  const body: Buffer[] = []
  let taken = 0
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const end of [...ends, bytes.length]) {
    const piece = bytes.subarray(from, end)
    if (piece.length > 0 && !reader.done) taken += reader.read(piece, (some) => body.push(Buffer.from(some)))
    from = end
  }
  return { body: Buffer.concat(body), taken }
}

const chunked = () => bodyReader({ kind: 'chunked' })
const cutting = fc.array(fc.nat(), { maxLength: 12 })
const REST = Buffer.from('HTTP/1.1 200 OK\r\n\r\n')

describe('a chunked body', () => {
  const extension = fc.constantFrom('', ';a', ';a=b', ' ;name="va;lue"', ';;')
  const chunk = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), extension, fc.boolean())
  const trailers = fc.constantFrom('', 'X-Sum: 1\r\n', 'A: b\r\nC: d\r\n')

  test('is the same however it is split, and later bytes are not touched', () => {
    const property = fc.property(fc.array(chunk), trailers, cutting, (chunks, trailer, cuts) => {
      const parts = chunks.map(([bytes, more, upper]) => {
        const size = bytes.length.toString(16)
        return Buffer.concat([
          Buffer.from(`${upper ? size.toUpperCase() : `0${size}`}${more}\r\n`),
          bytes,
          Buffer.from('\r\n'),
        ])
      })
      const sent = Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)])
      const reader = chunked()
      const read = readInPieces(reader, Buffer.concat([sent, REST]), cuts)
      expect(read.body.equals(Buffer.concat(chunks.map(([bytes]) => bytes)))).toBe(true)
      expect([read.taken, reader.done]).toEqual([sent.length, true])
    })
    fc.assert(property)
  })

  test.each([
    ['zz\r\n', 'a chunk size is not a hexadecimal number'],
    ['\r\n', 'a chunk size is not a hexadecimal number'],
    ['-1\r\n', 'a chunk size is not a hexadecimal number'],
    ['0x2\r\nok\r\n', 'a chunk size is not a hexadecimal number'],
    ['2\nok', 'ends without CR'],
    ['2\r\nokay\r\n', 'longer than its size'],
    ['1000000000000\r\n', 'a chunk size is not a hexadecimal number'],
    [`2;${'x'.repeat(5_000)}\r\n`, 'too long'],
    [`0\r\n${'X-Trailer: and more\r\n'.repeat(1_000)}`, 'its trailers are too long'],
  ])('%j is broken, in pieces too', (text, why) => {
    expect(() => readInPieces(chunked(), Buffer.from(text), [])).toThrow(why)
    const everywhere = Array.from({ length: text.length }, (_, at) => at)
    expect(() => readInPieces(chunked(), Buffer.from(text), everywhere)).toThrow(why)
  })
})

test('a body with a length is the same however it is split, and later bytes are not touched', () => {
  const property = fc.property(fc.uint8Array({ minLength: 1 }), cutting, (bytes, cuts) => {
    const reader = bodyReader({ kind: 'length', bytes: bytes.length })
    const read = readInPieces(reader, Buffer.concat([bytes, REST]), cuts)
    expect(read.body.equals(Buffer.from(bytes))).toBe(true)
    expect([read.taken, reader.done]).toEqual([bytes.length, true])
  })
  fc.assert(property)
})

test('a body that ends with the connection is never done', () => {
  const reader = bodyReader({ kind: 'close' })
  expect(readInPieces(reader, REST, [3, 7])).toEqual({ body: REST, taken: REST.length })
  expect([reader.done, reader.endsWithConnection]).toEqual([false, true])
})
