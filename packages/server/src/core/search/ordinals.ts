/** Events of one segment of the index. */
export const SEGMENT_EVENTS = 1024
/** The first of a range of characters that take two bytes each in UTF-8. */
const FIRST = 0x100

/** The events of a segment that have a term, as text: the stores can append to it without reading it. */
export const ordinalText = (ordinal: number): string => String.fromCharCode(FIRST + ordinal)

/** Some events of a segment. */
export class Ordinals {
  readonly #has = new Uint8Array(SEGMENT_EVENTS)
  #count = 0

  static all(): Ordinals {
    const all = new Ordinals()
    all.#has.fill(1)
    all.#count = SEGMENT_EVENTS
    return all
  }

  get empty(): boolean {
    return this.#count === 0
  }

  has(ordinal: number): boolean {
    return this.#has[ordinal] === 1
  }

  addText(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const ordinal = text.charCodeAt(i) - FIRST
      if (this.#has[ordinal] === 0) this.#count++
      this.#has[ordinal] = 1
    }
  }

  /** Keeps only the events that the other set has too. */
  keep(other: Ordinals): void {
    this.#count = 0
    for (let i = 0; i < SEGMENT_EVENTS; i++) this.#count += this.#has[i]! &= other.#has[i]!
  }
}
