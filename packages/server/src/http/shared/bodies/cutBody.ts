import { isAscii } from 'node:buffer'
import { malformedSegments, type Segment } from './malformed.ts'
import { escapePointer, findPrototype, mayNamePrototype, prototypeRefused } from './prototypes.ts'
import type { Slice } from './turns.ts'

/**
 * Parses a body item by item, with pauses. The items of its lists are cut out and parsed separately. In the rest, numbers
 * replace them, so that the parser checks everything else, such as duplicate members.
 */
export class CutBody {
  readonly #bytes: Buffer
  readonly #start: number
  readonly #items: readonly number[]

  /**
   * @param start the first byte of the text, behind a byte order mark
   * @param items of {@link JsonScanner.items}
   */
  constructor(bytes: Buffer, start: number, items: readonly number[]) {
    this.#bytes = bytes
    this.#start = start
    this.#items = items
  }

  /** @throws Problem (rejects) that says where the body is broken, or has a member named `__proto__` */
  async parse(slice: Slice): Promise<unknown> {
    const outline = this.#segments(null)
      .map(({ text }) => text)
      .join('')
    const body = tryParse(outline)
    const values: unknown[] = []
    const prototypes = new Map<number, string>()
    for (let item = 0; item < this.#items.length / 2; item++) {
      if (slice.isOver) await slice.next()
      const text = this.#textOf(item)
      const value = tryParse(text)
      if (value === undefined) throw this.#malformed(item)
      values.push(value)
      const prototype = mayNamePrototype(text) ? findPrototype(value) : null
      if (prototype !== null) prototypes.set(item, prototype)
    }
    if (body === undefined) throw this.#malformed(null)
    if (prototypes.size > 0) refuseFirst(body, prototypes)
    if (mayNamePrototype(outline)) refuseIn(body)
    // If no items were cut out, lists stay as they are.
    if (values.length > 0) putBack(body, values)
    return body
  }

  /** Bytes outside of items that take long to decode: blanks, of which there may be many, are ASCII. */
  get slowBytesOutside(): number {
    let bytes = 0
    let at = this.#start
    for (let item = 0; item <= this.#items.length / 2; item++) {
      const gap = this.#bytes.subarray(at, this.#items[2 * item])
      if (!isAscii(gap)) bytes += gap.length
      at = this.#items[2 * item + 1] ?? at
    }
    return bytes
  }

  #textOf(item: number): string {
    return this.#bytes.toString('utf8', this.#items[2 * item], this.#items[2 * item + 1])
  }

  /** The body with numbers in place of its items. @param whole the one item that is kept; `null`: none */
  #segments(whole: number | null): Segment[] {
    const segments: Segment[] = []
    let at = this.#start
    for (let item = 0; item < this.#items.length / 2; item++) {
      const from = this.#items[2 * item]!
      segments.push({ text: this.#bytes.toString('utf8', at, from), from: at })
      segments.push(item === whole ? { text: this.#textOf(item), from } : { text: String(item), from: null })
      at = this.#items[2 * item + 1]!
    }
    segments.push({ text: this.#bytes.toString('utf8', at), from: at })
    return segments
  }

  #malformed(item: number | null) {
    return malformedSegments(this.#bytes, this.#start, this.#segments(item))
  }
}

/** @returns `undefined` for invalid JSON */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const listsOf = (body: unknown): [string, unknown[]][] =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? Object.entries(body).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
    : []

function putBack(body: unknown, values: readonly unknown[]): void {
  for (const [, list] of listsOf(body)) {
    for (let i = 0; i < list.length; i++) list[i] = values[list[i] as number]
  }
}

/** If a duplicate member replaced a list, the items of the first one are not part of the body. */
function refuseFirst(body: unknown, prototypes: ReadonlyMap<number, string>): void {
  for (const [member, list] of listsOf(body)) {
    const index = list.findIndex((item) => prototypes.has(item as number))
    if (index < 0) continue
    const inner = prototypes.get(list[index] as number)!
    throw prototypeRefused(`/${escapePointer(member)}/${index}${inner}`)
  }
}

function refuseIn(body: unknown): void {
  const pointer = findPrototype(body)
  if (pointer !== null) throw prototypeRefused(pointer)
}
