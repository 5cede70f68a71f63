/** Number of urgent connections of the store that are left for others. */
const UNDER_WAY = 2
const MAX_WAITING = 1_000

interface Waiting {
  readonly begin: () => void
  readonly fail: (error: unknown) => void
}

/** Look-ups for callers that are not known yet: a few at a time, so that a flood of them does not delay known callers. */
export class LookUpLane {
  readonly #waiting: Waiting[] = []
  #underWay = 0

  /** Whether one more may wait its turn. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  async run<T>(lookUp: () => Promise<T>): Promise<T> {
    if (this.#underWay >= UNDER_WAY) await this.#turn()
    else this.#underWay += 1
    try {
      return await lookUp()
    } catch (error) {
      // One after another, each would wait for a store that does not answer.
      for (const { fail } of this.#waiting.splice(0)) fail(error)
      throw error
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay -= 1
      else next.begin()
    }
  }

  #turn(): Promise<void> {
    return new Promise((begin, fail) => this.#waiting.push({ begin, fail }))
  }
}
