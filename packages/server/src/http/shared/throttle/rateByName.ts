import { BoundedMap } from '../../../core/boundedMap.ts'
import type { Clock } from '../../../core/clock.ts'

/** A burst, and then one more after each interval. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * A rate limit for each of many names (the generic cell rate algorithm). It keeps one number for each name: when its full
 * burst is available again. The least recently used names are forgotten first.
 */
export class RateByName {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #rate: Rate
  readonly #wholeAt: BoundedMap<string, number>

  constructor(clock: Pick<Clock, 'monotonic'>, rate: Rate, maxNames: number) {
    this.#clock = clock
    this.#rate = rate
    this.#wholeAt = new BoundedMap(maxNames)
  }

  /** How long until the next one is allowed; 0: now. */
  waitMs(name: string): number {
    const { burst, everyMs } = this.#rate
    return Math.max(0, this.wholeInMs(name) - (burst - 1) * everyMs)
  }

  /** How long until the full burst is available; 0: it is. */
  wholeInMs(name: string): number {
    return Math.max(0, (this.#wholeAt.get(name) ?? 0) - this.#clock.monotonic())
  }

  /** Counts one. Attempts beyond the rate do not lengthen the wait. */
  use(name: string): void {
    const { burst, everyMs } = this.#rate
    const wholeInMs = Math.min(this.wholeInMs(name) + everyMs, burst * everyMs)
    this.#wholeAt.set(name, this.#clock.monotonic() + wholeInMs)
  }
}
