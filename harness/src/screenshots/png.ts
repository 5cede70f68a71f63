import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const RGB = 3
const COLORS = 256
const COMMON_COLORS = 160

interface Picture {
  readonly width: number
  readonly height: number
  /** Three bytes a pixel, row by row. */
  readonly pixels: Buffer
}

/**
 * The same picture with 256 colors, which makes a page's picture a third as large: the remaining colors are
 * mostly edges of letters, which get the nearest color.
 * @param png 8 bits for each of red, green and blue, as browsers produce. @throws Error for any other kind
 */
export function smallerPng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png)
  const counts = new Map<number, number>()
  for (let at = 0; at < pixels.length; at += RGB) {
    const color = pixels.readUIntBE(at, RGB)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const palette = paletteOf(counts)
  const places = new Map(palette.map((color, place) => [color, place]))
  for (const color of counts.keys()) if (!places.has(color)) places.set(color, nearest(palette, color))
  const rows = Buffer.alloc((width + 1) * height)
  for (let pixel = 0; pixel < width * height; pixel++) {
    rows[pixel + Math.floor(pixel / width) + 1] = places.get(pixels.readUIntBE(pixel * RGB, RGB))!
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8)
  const colors = Buffer.alloc(palette.length * RGB)
  for (const [place, color] of palette.entries()) colors.writeUIntBE(color, place * RGB, RGB)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The most frequent colors, then those that would be missed most. @param counts pixels of each color */
function paletteOf(counts: ReadonlyMap<number, number>): number[] {
  const byCount = [...counts].sort(([, one], [, other]) => other - one)
  const palette = byCount.slice(0, COMMON_COLORS).map(([color]) => color)
  const rest = byCount.slice(COMMON_COLORS).map(([color, count]) => {
    return { color, count, off: distance(color, palette[nearest(palette, color)]!) }
  })
  while (palette.length < COLORS && rest.length > 0) {
    const missed = rest.reduce((most, one) => (one.count * one.off > most.count * most.off ? one : most))
    palette.push(missed.color)
    for (const one of rest) one.off = Math.min(one.off, distance(one.color, missed.color))
    rest.splice(rest.indexOf(missed), 1)
  }
  return palette
}

function nearest(palette: readonly number[], color: number): number {
  let best = 0
  for (const [place, other] of palette.entries()) {
    if (distance(other, color) < distance(palette[best]!, color)) best = place
  }
  return best
}

const distance = (one: number, other: number) =>
  ((one >> 16) - (other >> 16)) ** 2 +
  (((one >> 8) & 255) - ((other >> 8) & 255)) ** 2 +
  ((one & 255) - (other & 255)) ** 2

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

function decode(png: Buffer): Picture {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  // Bits, color type, compression, filter method, interlace (PNG, section 11.2.1).
  if (png.toString('hex', 24, 29) !== '0802000000') throw new Error('not a PNG of 8-bit RGB')
  const packed: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') packed.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(packed)), width * RGB, height) }
}

/** Undoes the filters of rows (PNG, section 9.2). */
function unfiltered(filtered: Buffer, rowBytes: number, height: number): Buffer {
  const pixels = Buffer.alloc(rowBytes * height)
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)]!
    const start = row * rowBytes
    for (let byte = 0; byte < rowBytes; byte++) {
      const left = byte < RGB ? 0 : pixels[start + byte - RGB]!
      const up = row === 0 ? 0 : pixels[start + byte - rowBytes]!
      const corner = row === 0 || byte < RGB ? 0 : pixels[start + byte - rowBytes - RGB]!
      pixels[start + byte] = filtered[row * (rowBytes + 1) + 1 + byte]! + predicted(filter, left, up, corner)
    }
  }
  return pixels
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(estimate - value))
  if (toLeft! <= toUp! && toLeft! <= toCorner!) return left
  return toUp! <= toCorner! ? up : corner
}
