import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'

/** A slower answer is ignored: it is too uncertain when the database read its clock. */
const MAX_ROUND_TRIP_MS = SECOND_MS

/**
 * The database's time, so that nodes whose clocks differ by minutes agree on when a retry is due and how long an endpoint has
 * been failing. Between two answers of the database it follows this machine's monotonic clock, which is never set.
 */
export class StoreClock implements Clock {
  readonly #machine: Clock
  /** What to add to the monotonic time; `null` before the first answer. */
  #offset: number | null = null

  constructor(machine: Clock) {
    this.#machine = machine
  }

  now(): number {
    return this.#offset === null ? this.#machine.now() : Math.floor(this.#machine.monotonic() + this.#offset)
  }

  monotonic(): number {
    return this.#machine.monotonic()
  }

  after(...args: Parameters<Clock['after']>): ReturnType<Clock['after']> {
    return this.#machine.after(...args)
  }

  /** @param databaseNow Unix ms that the database returned; @param askedAt monotonic time before the query */
  set(databaseNow: number, askedAt: number): void {
    const answeredAt = this.#machine.monotonic()
    if (this.#offset !== null && answeredAt - askedAt > MAX_ROUND_TRIP_MS) return
    this.#offset = databaseNow - (askedAt + answeredAt) / 2
  }
}
