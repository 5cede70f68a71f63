import { BoundedMap } from '../../../core/boundedMap.ts'
import type { Clock } from '../../../core/clock.ts'

/** Names that were added within some time; the oldest are forgotten first. */
export class RecentNames {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #keptMs: number
  readonly #addedAt: BoundedMap<string, number>

  constructor(clock: Pick<Clock, 'monotonic'>, keptMs: number, maxNames: number) {
    this.#clock = clock
    this.#keptMs = keptMs
    this.#addedAt = new BoundedMap(maxNames)
  }

  has(name: string): boolean {
    const addedAt = this.#addedAt.get(name)
    return addedAt !== undefined && this.#clock.monotonic() - addedAt < this.#keptMs
  }

  add(name: string): void {
    this.#addedAt.set(name, this.#clock.monotonic())
  }

  delete(name: string): void {
    this.#addedAt.delete(name)
  }
}
