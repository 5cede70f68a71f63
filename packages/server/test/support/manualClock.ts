import type { Clock, Timer } from '../../src/core/clock.ts'

interface Pending {
  readonly at: number
  readonly callback: () => void
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  readonly #startedAt: number
  readonly #timers = new Set<Pending>()
  #elapsed = 0
  #leaptMs = 0

  constructor(startedAt = Date.UTC(2026, 0, 5, 9)) {
    this.#startedAt = startedAt
  }

  now(): number {
    return this.#startedAt + this.#elapsed + this.#leaptMs
  }

  monotonic(): number {
    return this.#elapsed
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { at: this.#elapsed + Math.max(0, delayMs), callback }
    this.#timers.add(timer)
    return { cancel: () => void this.#timers.delete(timer) }
  }

  /** Sets wall time ahead, or back; monotonic time and timers do not change. */
  leap(ms: number): void {
    this.#leaptMs += ms
  }

  /** Lets time pass without timers, as while the event loop is blocked. */
  stall(ms: number): void {
    this.#elapsed += ms
  }

  /** Milliseconds until the next timer fires; `null`: none is set. */
  get nextIn(): number | null {
    let at = Number.POSITIVE_INFINITY
    for (const timer of this.#timers) at = Math.min(at, timer.at)
    return at === Number.POSITIVE_INFINITY ? null : at - this.#elapsed
  }

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size
  }

  /** Advances by `ms` and fires the timers that are due by then, earliest first, each at its own time. */
  advance(ms: number): void {
    const end = this.#elapsed + ms
    for (let timer = this.#earliest(end); timer !== null; timer = this.#earliest(end)) {
      this.#timers.delete(timer)
      this.#elapsed = Math.max(this.#elapsed, timer.at)
      timer.callback()
    }
    this.#elapsed = end
  }

  #earliest(by: number): Pending | null {
    let earliest: Pending | null = null
    for (const timer of this.#timers) {
      if (timer.at <= by && (earliest === null || timer.at < earliest.at)) earliest = timer
    }
    return earliest
  }
}
