/** Work that takes long enough to be felt, done piece by piece: one in a turn of the event loop, in order. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #scheduled = false

  take(work: () => void): void {
    this.#waiting.push(work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const work = this.#waiting.shift()!
      this.#schedule()
      work()
    })
  }
}
