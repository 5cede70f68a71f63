import { createHash } from 'node:crypto'
import { canonicalJson, sortedEntries } from '../../core/canonicalJson.ts'
import type { Slice } from './bodies/turns.ts'

/** SHA-256 of a value, the same for equal values. */
export const fingerprintOf = (value: unknown): Uint8Array =>
  Uint8Array.from(createHash('sha256').update(canonicalJson(value)).digest())

/**
 * The same fingerprint of a list, made with pauses: members of objects in the list, and items of lists in those, are written one
 * by one.
 */
export async function slicedFingerprintOf(values: readonly unknown[], slice: Slice): Promise<Uint8Array> {
  const hash = createHash('sha256')
  for (const part of partsOf(values, PARTED_LEVELS)) {
    if (slice.isOver) await slice.next()
    hash.update(part)
  }
  return Uint8Array.from(hash.digest())
}

/** Down to the events of a batch: list, body, `events`. */
const PARTED_LEVELS = 3

/** The canonical JSON of a value in parts, each of which takes little time to write. */
function* partsOf(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield canonicalJson(value)
    return
  }
  const isList = Array.isArray(value)
  let before = isList ? '[' : '{'
  for (const [name, member] of isList ? value.entries() : sortedEntries(value)) {
    yield isList ? before : `${before}${JSON.stringify(name)}:`
    yield* partsOf(member, levels - 1)
    before = ','
  }
  const isEmpty = before !== ','
  yield `${isEmpty ? before : ''}${isList ? ']' : '}'}`
}

/**
 * Whether the JSON of a value takes more than `limitBytes` in UTF-8. Only for values whose depth is bounded. It measures
 * only where neither an upper nor a lower bound decides.
 */
export function jsonExceeds(value: unknown, limitBytes: number): boolean {
  const { characters, parts } = extentOf(value)
  if (characters > limitBytes) return true
  const upperBound = characters * MOST_BYTES_OF_CHARACTER + parts * MOST_BYTES_OF_PART
  return upperBound > limitBytes && Buffer.byteLength(JSON.stringify(value)) > limitBytes
}

/** As in `\u0000`. */
const MOST_BYTES_OF_CHARACTER = 6
/** A number, and the signs around a member or an item. */
const MOST_BYTES_OF_PART = 32

interface Extent {
  /** In strings and names; each takes a byte at least. */
  readonly characters: number
  readonly parts: number
}

function extentOf(value: unknown): Extent {
  if (typeof value === 'string') return { characters: value.length, parts: 1 }
  if (typeof value !== 'object' || value === null) return { characters: 0, parts: 1 }
  let [characters, parts] = [0, 1]
  for (const [name, member] of Object.entries(value)) {
    const inner = extentOf(member)
    characters += inner.characters + (Array.isArray(value) ? 0 : name.length)
    parts += inner.parts
  }
  return { characters, parts }
}
