/**
 * Arrays as PostgreSQL's text, for parameters of set-based statements. The client's own way quotes and copies each
 * element; most of what is sent are numbers.
 */

export function numbers(values: Iterable<number | null>): string {
  let text = '{'
  let first = true
  for (const value of values) {
    text += first ? (value ?? 'NULL') : `,${value ?? 'NULL'}`
    first = false
  }
  return `${text}}`
}

export function booleans(values: readonly boolean[]): string {
  return `{${values.map((value) => (value ? 't' : 'f')).join()}}`
}

export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quote(value))).join()}}`
}

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** Byte strings end to end, and the length of each: cheaper to send and to take apart than an array of them. */
export interface Packed {
  readonly bytes: Buffer
  /** `null` where there was none. */
  readonly lengths: string
  /** Where each begins, from 1. */
  readonly offsets: string
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
  return { bytes, lengths: numbers(lengths), offsets: numbers(offsets) }
}
