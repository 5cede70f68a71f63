import { BoundedMap } from '../../../core/boundedMap.ts'
import type { Clock } from '../../../core/clock.ts'

/** So many at once, and then one more after each interval. */
export interface Rate {
  readonly burst: number
  readonly everyMs: number
}

/**
 * How often something may happen, for each of many names (the generic cell rate algorithm). Of a name it keeps one number:
 * when all that it used will be given back. Names that were used longest ago are forgotten first.
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

  /** How long until it may happen once more; 0: now. */
  waitMs(name: string): number {
    const { burst, everyMs } = this.#rate
    return Math.max(0, this.wholeInMs(name) - (burst - 1) * everyMs)
  }

  /** How long until all that was used is given back; 0: nothing is used. */
  wholeInMs(name: string): number {
    return Math.max(0, (this.#wholeAt.get(name) ?? 0) - this.#clock.monotonic())
  }

  /** It has happened. Beyond the rate, nothing more is used up: further attempts do not lengthen the wait. */
  use(name: string): void {
    const { burst, everyMs } = this.#rate
    const wholeInMs = Math.min(this.wholeInMs(name) + everyMs, burst * everyMs)
    this.#wholeAt.set(name, this.#clock.monotonic() + wholeInMs)
  }
}
