import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'

/** Maximum age of a cached value by default, unless the store takes longer to answer. */
const FRESH_MS = 5 * SECOND_MS
/** Maximum age of a cached failure: callers may continue soon after the cause is gone. */
const FAILURE_FRESH_MS = SECOND_MS

/** Reads something at most once within some time, so that frequent calls cost no more than rare ones. */
export class CachedRead<Result> {
  readonly #clock: Clock
  readonly #read: () => Promise<Result>
  readonly #freshMs: number
  #reading: Promise<Result> | null = null
  #freshUntil = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, read: () => Promise<Result>, freshMs = FRESH_MS) {
    this.#clock = clock
    this.#read = read
    this.#freshMs = freshMs
  }

  /** A read in progress serves all callers. A failed read fails for all callers within the next second. */
  current(): Promise<Result> {
    if (this.#reading === null || this.#clock.monotonic() >= this.#freshUntil) this.#reading = this.#start()
    return this.#reading
  }

  async #start(): Promise<Result> {
    this.#freshUntil = Number.POSITIVE_INFINITY
    const askedAt = this.#clock.monotonic()
    try {
      const result = await this.#read()
      this.#freshUntil = askedAt + this.#freshMs
      return result
    } catch (error) {
      this.#freshUntil = askedAt + Math.min(this.#freshMs, FAILURE_FRESH_MS)
      throw error
    }
  }
}
