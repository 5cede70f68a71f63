/** Random numbers determined only by a seed and their purpose, in whatever order they are drawn. */
export class Draws {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = mix(seed)
  }

  /** @param matter purpose of the number @returns a number in [0, 1), always the same for the same purpose */
  of(...matter: readonly number[]): number {
    let hash = this.#seed
    for (const number of matter) hash = mix(hash ^ number)
    return hash / 2 ** 32
  }

  /** @returns a whole number from `min` to `max`, both included */
  between(min: number, max: number, ...matter: readonly number[]): number {
    return min + Math.floor(this.of(...matter) * (max - min + 1))
  }

  /** @returns numbers in [0, 1), one after another */
  stream(matter: number): () => number {
    let drawn = 0
    return () => this.of(matter, drawn++)
  }
}

/** The finalizer of MurmurHash3 (public domain), after a step that keeps 0 from staying 0. */
function mix(value: number): number {
  let h = (value + 0x9e3779b9) | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
