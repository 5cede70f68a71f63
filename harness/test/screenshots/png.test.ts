import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { smallerPng } from '../../src/screenshots/png.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/**
 * @param rows bytes of pixels; each is written with the filter of its index: none, sub, up, average, Paeth
 */
function rgbPng(rows: readonly Buffer[], colorType = 2): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(rows[0]!.length / 3, 0)
  head.writeUInt32BE(rows.length, 4)
  head.set([8, colorType], 8)
  const filtered = rows.map((row, at) => {
    const filter = at % 5
    const bytes = row.map((value, byte) => {
      const left = row[byte - 3] ?? 0
      const up = rows[at - 1]?.[byte] ?? 0
      const corner = rows[at - 1]?.[byte - 3] ?? 0
      return value - [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!
    })
    return Buffer.from([filter, ...bytes])
  })
  const data = deflateSync(Buffer.concat(filtered))
  const half = data.length >> 1
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', data.subarray(0, half)),
    chunk('IDAT', data.subarray(half)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function paeth(left: number, up: number, corner: number): number {
  const far = (value: number) => Math.abs(left + up - corner - value)
  if (far(left) <= far(up) && far(left) <= far(corner)) return left
  return far(up) <= far(corner) ? up : corner
}

/** Rows of pixels of a picture with a palette. */
function rowsOf(png: Buffer): Buffer[] {
  const chunks = new Map<string, Buffer>()
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.toString('latin1', 0, 4), body.subarray(4))
    at += length + 12
  }
  const [head, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map((type) => chunks.get(type)!)
  expect([...head!.subarray(8)]).toEqual([8, 3, 0, 0, 0])
  const width = head!.readUInt32BE(0)
  const places = inflateSync(data!)
  return Array.from({ length: head!.readUInt32BE(4) }, (_, row) => {
    const start = row * (width + 1)
    expect(places[start]).toBe(0)
    const pixels = [...places.subarray(start + 1, start + 1 + width)]
    return Buffer.concat(pixels.map((place) => palette!.subarray(place * 3, place * 3 + 3)))
  })
}

test('a picture of up to 256 colors stays the same', () => {
  const rows = Array.from({ length: 10 }, (_, y) =>
    Buffer.from(Array.from({ length: 21 }, (_, x) => [(x * 37) % 256, y * 20, (x * y) % 256]).flat()),
  )
  expect(rowsOf(smallerPng(rgbPng(rows)))).toEqual(rows)
})

test('with more colors, the most frequent and the most distinct ones stay, and the rest gets a similar one', () => {
  const grays = Array.from({ length: 300 }, (_, x) => [x % 256, x % 256, x < 256 ? 40 : 41])
  const yellow = Array.from({ length: 300 }, () => [255, 220, 0])
  const rows = [Buffer.from(grays.flat()), Buffer.from([...yellow.slice(0, 2), ...grays.slice(2)].flat())]
  const drawn = rowsOf(smallerPng(rgbPng(rows)))
  expect([...drawn[1]!.subarray(0, 6)]).toEqual(yellow.slice(0, 2).flat())
  for (const [y, row] of rows.entries()) {
    for (const [byte, value] of row.entries())
      expect(Math.abs(value - drawn[y]![byte]!)).toBeLessThanOrEqual(2)
  }
})

test('a picture of another kind is rejected', () => {
  expect(() => smallerPng(rgbPng([Buffer.from([1, 2, 3])], 6))).toThrow('not a PNG of 8-bit RGB')
})
