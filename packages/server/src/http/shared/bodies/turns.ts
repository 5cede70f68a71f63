import type { Clock } from '../../../core/clock.ts'

/** Of the event loop's time that one request may take before others have their turn. */
const SLICE_MS = 2

/**
 * Shares out the time of the event loop among requests that need much of it: one slice in each turn of the loop, to groups
 * in turn. However many large requests one tenant has, others wait for a slice of each tenant at most.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #waiting = new Map<string, (() => void)[]>()
  #scheduled = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** The time of a request, which begins now, without a turn of its own. */
  slice(group: string): Slice {
    return new Slice(this, this.#clock, group)
  }

  /** Resolves in a later turn of the loop. */
  next(group: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(group)
      if (queue === undefined) this.#waiting.set(group, [resolve])
      else queue.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const [group, queue] = this.#waiting.entries().next().value!
      // Behind the others again.
      this.#waiting.delete(group)
      const resolve = queue.shift()!
      if (queue.length > 0) this.#waiting.set(group, queue)
      this.#schedule()
      resolve()
    })
  }
}

/** The time that one request takes of the event loop. */
export class Slice {
  readonly #turns: Turns
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #group: string
  #endsAt: number

  constructor(turns: Turns, clock: Pick<Clock, 'monotonic'>, group: string) {
    this.#turns = turns
    this.#clock = clock
    this.#group = group
    this.#endsAt = clock.monotonic() + SLICE_MS
  }

  /** Ask it between steps; when it is over, wait for {@link next}. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#endsAt
  }

  /** Resolves when others had their turn, and a new slice begins. */
  async next(): Promise<void> {
    await this.#turns.next(this.#group)
    this.#endsAt = this.#clock.monotonic() + SLICE_MS
  }
}
