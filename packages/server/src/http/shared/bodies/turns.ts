import type { Clock } from '../../../core/clock.ts'
import { Turns } from '../../../core/turns.ts'

/** Event loop time that one request may take before others have their turn. */
const SLICE_MS = 2

interface Work {
  readonly begin: () => void
  /** Whether it still works after `begin` has returned, for the length of a slice. */
  readonly takesSlice: boolean
}

/**
 * Divides the time of the event loop among expensive requests: one slice in each turn of the loop, to groups in turn. However
 * many large requests one tenant has, others wait for at most one slice of each tenant.
 */
export class LoopTurns {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #waiting = new Turns<Work, string>()
  #scheduled = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** The time of a request, which begins now, without a turn of its own. */
  slice(group: string): Slice {
    return new Slice(this, this.#clock, group)
  }

  /** Resolves in a later turn of the loop, with room for one slice. */
  next(group: string): Promise<void> {
    return new Promise((resolve) => {
      this.#add(group, { begin: resolve, takesSlice: true })
    })
  }

  /** Calls `work` in a later turn of the loop, together with others as long as a slice lasts. */
  run(group: string, work: () => void): void {
    this.#add(group, { begin: work, takesSlice: false })
  }

  #add(group: string, work: Work): void {
    this.#waiting.add(group, work)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.empty) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      const endsAt = this.#clock.monotonic() + SLICE_MS
      try {
        for (let ran = false; !this.#waiting.empty; ran = true) {
          // A slice takes a turn of the loop alone: it stays first in line and begins the next one.
          if (ran && this.#waiting.peek()!.takesSlice) break
          const work = this.#waiting.next()!
          work.begin()
          if (work.takesSlice || this.#clock.monotonic() >= endsAt) break
        }
      } finally {
        this.#schedule()
      }
    })
  }
}

/** The event loop time of one request. */
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

  /** Check it between steps; when it is over, wait for {@link next}. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#endsAt
  }

  /** Resolves when others had their turn, and a new slice begins. */
  async next(): Promise<void> {
    await this.#turns.next(this.#group)
    this.#endsAt = this.#clock.monotonic() + SLICE_MS
  }
}
