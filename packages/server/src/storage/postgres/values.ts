import pg from 'pg'

/**
 * Arrays as parameters of set-based statements. The client's own conversion quotes and copies each element. Most parameters are
 * numbers, and these are sent in PostgreSQL's binary format, without converting to and from digits.
 */

const INT4 = 23
const INT8 = 20
const NULL_LENGTH = -1
/** Lower bounds: of the array, then of its one dimension. */
const [HEAD_BYTES, DIMENSION_BYTES] = [12, 8]
const TWO_32 = 2 ** 32

/** @returns a `bigint[]` @throws TypeError when one is not a whole number: another number would be stored */
export function numbers(values: Iterable<number | null>): Buffer {
  return binary(INT8, 8, values, (bytes, value, at) => {
    bytes.writeInt32BE(Math.floor(value / TWO_32), at)
    bytes.writeUInt32BE(value >>> 0, at + 4)
  })
}

/** @returns an `int[]` @throws TypeError when one is not a whole number; RangeError when one has more than 32 bits */
export function integers(values: Iterable<number | null>): Buffer {
  return binary(INT4, 4, values, (bytes, value, at) => bytes.writeInt32BE(value, at))
}

function binary(
  type: number,
  size: number,
  values: Iterable<number | null>,
  write: (bytes: Buffer, value: number, at: number) => void,
): Buffer {
  const all = Array.isArray(values) ? (values as readonly (number | null)[]) : [...values]
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + (all.length && DIMENSION_BYTES + all.length * (4 + size)))
  let at = bytes.writeInt32BE(all.length === 0 ? 0 : 1, 0)
  let nulls = 0
  at = bytes.writeInt32BE(nulls, at)
  at = bytes.writeInt32BE(type, at)
  if (all.length > 0) {
    at = bytes.writeInt32BE(all.length, at)
    at = bytes.writeInt32BE(1, at)
  }
  for (const value of all) {
    at = bytes.writeInt32BE(value === null ? NULL_LENGTH : size, at)
    if (value === null) nulls = 1
    else if (Number.isSafeInteger(value)) {
      write(bytes, value, at)
      at += size
    } else throw new TypeError(`${value} is no whole number`)
  }
  bytes.writeInt32BE(nulls, 4)
  return bytes.subarray(0, at)
}

export function booleans(values: readonly (boolean | null)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quote(value))).join()}}`
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Concatenated byte strings, and the length of each: cheaper to send and to read than an array of them. */
export interface Packed {
  readonly bytes: Buffer
  /** `null` for a missing value. An `int[]`, like the offsets. */
  readonly lengths: Buffer
  /** The start of each, from 1. */
  readonly offsets: Buffer
}

export function packBytes(values: readonly (Uint8Array | null)[]): Packed {
  return packed(Buffer.concat(values.filter((value) => value !== null)), values.map(lengthOf))
}

/** The same for texts, as UTF-8. */
export function packTexts(values: readonly string[]): Packed {
  return packed(
    Buffer.from(values.join('')),
    values.map((value) => Buffer.byteLength(value)),
  )
}

const lengthOf = (value: Uint8Array | null): number | null => value?.length ?? null

function packed(bytes: Buffer, lengths: readonly (number | null)[]): Packed {
  let offset = 1
  const offsets = lengths.map((length) => {
    const at = offset
    offset += length ?? 0
    return at
  })
  return { bytes, lengths: integers(lengths), offsets: integers(offsets) }
}

const INT8_ARRAY = 1016
const BYTEA = 17

/** All ids, times and counts of this store are exact as numbers. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [INT8_ARRAY]: readNumbers,
  // A copy, since small buffers are views of one that they share.
  [BYTEA]: (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')),
}

/** Converters from columns to values. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const own = format === 'binary' ? undefined : PARSERS[oid]
    return (own ?? pg.types.getTypeParser(oid, format)) as never
  },
}

const [ZERO, MINUS, COMMA] = ['0', '-', ','].map((sign) => sign.charCodeAt(0))

/** @param text of an array of numbers, none of them null: `{1,2}` */
function readNumbers(text: string): number[] {
  const numbers: number[] = []
  let [value, sign] = [0, 1]
  for (let at = 1; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA) {
      numbers.push(sign * value)
      value = 0
      sign = 1
    } else if (code === MINUS) sign = -1
    else value = value * 10 + (code - ZERO!)
  }
  if (text.length > 2) numbers.push(sign * value)
  return numbers
}
