import type { JsonLimits } from './limits.ts'

export type ExceededLimit = keyof JsonLimits | 'items'

const OTHER = 0
const QUOTE = 1
const OPEN = 2
const CLOSE = 3
const COMMA = 4

const KINDS = new Uint8Array(256)
for (const [characters, kind] of [
  ['"', QUOTE],
  ['{[', OPEN],
  ['}]', CLOSE],
  [',', COMMA],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind

const QUOTE_BYTE = 0x22
const BACKSLASH_BYTE = 0x5c
const BRACE_BYTE = 0x7b
const BRACKET_BYTE = 0x5b
/** Within the lists that are members of the outermost object. */
const ITEM_DEPTH = 2

/**
 * Scans the bytes of a JSON text while they arrive, without parsing: it counts depth and values, and records the bounds of
 * items in lists that are members of the outermost object. Each member and each item is a value; an empty object or list counts
 * once more. For invalid JSON the results mean nothing, but stay within the limits.
 */
export class JsonScanner {
  readonly #limits: JsonLimits
  readonly #cuts: boolean
  /** Pairs: where an item begins and, behind its last byte, ends. Blanks around it are part of it. */
  readonly items: number[] = []
  #at = 0
  #isInString = false
  #depth = 0
  #values = 0
  #valuesOutside = 0
  #valuesOfItem = 0
  #isInObject = false
  #itemStart = -1
  #itemsOfList = 0
  #longestItem = 0

  /** @param cuts whether items are noted; without it, the whole text is one part */
  constructor(limits: JsonLimits, cuts: boolean) {
    this.#limits = limits
    this.#cuts = cuts
  }

  /**
   * Goes on where it stopped.
   * @param bytes of the text from its beginning
   * @param end how many of them are there by now
   * @returns the limit that the text exceeds; `null`: none so far
   */
  scan(bytes: Uint8Array, end: number): ExceededLimit | null {
    let at = this.#at
    let isInString = this.#isInString
    let exceeded: ExceededLimit | null = null
    while (at < end && exceeded === null) {
      if (isInString) {
        at = endOfPlain(bytes, at, end)
        if (at >= end) break
        isInString = bytes[at] !== QUOTE_BYTE
        // The escaped character may arrive later: the scan then starts after it.
        at += isInString ? 2 : 1
        continue
      }
      at = nextSign(bytes, at, end)
      if (at >= end) break
      const kind = KINDS[bytes[at]!]!
      if (kind === QUOTE) isInString = true
      else exceeded = this.#structure(kind, bytes, at)
      at += 1
    }
    this.#at = at
    this.#isInString = isInString
    return exceeded ?? this.#tooLong(end)
  }

  #tooLong(end: number): ExceededLimit | null {
    const ofItem = this.#itemStart < 0 ? 0 : end - this.#itemStart
    return Math.max(ofItem, this.#longestItem) > this.#limits.bytesOfPart ? 'bytesOfPart' : null
  }

  #structure(kind: number, bytes: Uint8Array, at: number): ExceededLimit | null {
    if (kind === CLOSE) {
      this.#close(bytes, at)
      return null
    }
    if (kind === COMMA) {
      if (this.#itemStart >= 0 && this.#depth === ITEM_DEPTH) {
        this.#endItem(at)
        this.#itemStart = at + 1
      }
      return this.#countValue()
    }
    const exceeded = this.#countValue()
    this.#open(bytes[at]!, at)
    return exceeded ?? (this.#depth > this.#limits.depth ? 'depth' : null)
  }

  #open(byte: number, at: number): void {
    this.#depth += 1
    if (this.#depth === 1) this.#isInObject = byte === BRACE_BYTE
    else if (this.#depth === ITEM_DEPTH && this.#cuts && this.#isInObject && byte === BRACKET_BYTE) {
      this.#itemStart = at + 1
      this.#itemsOfList = 0
    }
  }

  #close(bytes: Uint8Array, at: number): void {
    if (this.#itemStart >= 0 && this.#depth === ITEM_DEPTH) {
      if (this.#itemsOfList > 0 || !isBlank(bytes, this.#itemStart, at)) this.#endItem(at)
      this.#itemStart = -1
    }
    this.#depth = Math.max(0, this.#depth - 1)
  }

  #endItem(at: number): void {
    this.items.push(this.#itemStart, at)
    this.#longestItem = Math.max(this.#longestItem, at - this.#itemStart)
    this.#itemsOfList += 1
    this.#valuesOfItem = 0
  }

  #countValue(): ExceededLimit | null {
    const { valuesOfPart, valuesInAll } = this.#limits
    this.#values += 1
    if (this.#values > valuesInAll) return 'valuesInAll'
    if (this.#itemStart < 0) {
      this.#valuesOutside += 1
      return this.#valuesOutside > valuesOfPart ? 'valuesOfPart' : null
    }
    if (this.items.length / 2 > valuesOfPart) return 'items'
    // The comma between two items belongs to neither, but one value more or less makes no difference.
    this.#valuesOfItem += 1
    return this.#valuesOfItem > valuesOfPart ? 'valuesOfPart' : null
  }
}

/** @returns where a string ends or has something escaped; `end`: nowhere so far */
function endOfPlain(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && bytes[at] !== QUOTE_BYTE && bytes[at] !== BACKSLASH_BYTE) at++
  return at
}

/** @returns where the next quote, bracket or comma is; `end`: nowhere so far */
function nextSign(bytes: Uint8Array, from: number, end: number): number {
  let at = from
  while (at < end && KINDS[bytes[at]!] === OTHER) at++
  return at
}

const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d]

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!BLANKS.includes(bytes[at])) return false
  return true
}
