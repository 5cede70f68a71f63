import type { Clock } from '../../../core/clock.ts'
import { Turns } from '../../../core/turns.ts'

/** Of the event loop's time that one request may take before others have their turn. */
const SLICE_MS = 2

/**
 * Shares out the time of the event loop among requests that need much of it: one slice in each turn of the loop, to groups
 * in turn. However many large requests one tenant has, others wait for a slice of each tenant at most.
 */
export class LoopTurns {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #waiting = new Turns<() => void, string>()
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
      this.#waiting.add(group, resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.empty) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const resolve = this.#waiting.next()!
      this.#schedule()
      resolve()
    })
  }
}

/** The time that one request takes of the event loop. */
export class Slice {
  readonly #turns: LoopTurns
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #group: string
  #endsAt: number

  constructor(turns: LoopTurns, clock: Pick<Clock, 'monotonic'>, group: string) {
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
