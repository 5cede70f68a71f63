import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../../engine/log/logger.ts'

const FLUSH_AFTER_MS = 30 * SECOND_MS

/** Records when each credential of a kind was last used, at most every half minute. */
export class LastUses {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #what: string
  readonly #write: (uses: readonly { readonly id: number; readonly at: number }[]) => Promise<void>
  readonly #uses = new Map<number, number>()
  #timer: Timer | null = null

  constructor(params: {
    readonly clock: Clock
    readonly logger: Logger
    /** Such as `keys`. */
    readonly what: string
    readonly write: (uses: readonly { readonly id: number; readonly at: number }[]) => Promise<void>
  }) {
    this.#clock = params.clock
    this.#logger = params.logger
    this.#what = params.what
    this.#write = params.write
  }

  note(id: number): void {
    this.#uses.set(id, this.#clock.now())
    this.#timer ??= this.#clock.after(FLUSH_AFTER_MS, () => void this.flush())
  }

  /** Stores last uses. They decide nothing, so a failure is only logged. */
  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    if (this.#uses.size === 0) return
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }))
    this.#uses.clear()
    try {
      await this.#write(uses)
    } catch (error) {
      this.#logger.warn({ err: error, uses: uses.length }, `last uses of ${this.#what} could not be stored`)
    }
  }
}
