import type { Clock, Timer } from '../../../src/core/clock.ts'
import { Heap } from '../heap.ts'

interface Pending {
  readonly at: number
  readonly order: number
  /** `null` once canceled: it is skipped when its time comes. */
  callback: (() => void) | null
}

/** A clock that jumps from timer to timer; made for millions of them. */
export class VirtualClock implements Clock {
  readonly startedAt: number
  readonly #timers = new Heap<Pending>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order))
  #now: number
  #set = 0

  /** @param startedAt Unix ms */
  constructor(startedAt: number) {
    this.startedAt = startedAt
    this.#now = startedAt
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#now - this.startedAt
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer: Pending = { at: this.#now + Math.max(0, delayMs), order: this.#set++, callback }
    this.#timers.push(timer)
    return {
      cancel() {
        timer.callback = null
      },
    }
  }

  /**
   * Jumps to the next timer and fires all timers of that moment, in the order they were set. @returns false
   * if there is none by `end` (Unix ms)
   */
  jump(end: number): boolean {
    const at = this.#nextAt()
    if (at === null || at > end) return false
    this.#now = at
    const fired = this.#set
    for (let timer = this.#timers.first; timer !== undefined && timer.at === at; timer = this.#timers.first) {
      // Set by a timer that fired just now: its consequences come first.
      if (timer.order >= fired) break
      this.#timers.pop()
      timer.callback?.()
    }
    return true
  }

  #nextAt(): number | null {
    while (this.#timers.first?.callback === null) this.#timers.pop()
    return this.#timers.first?.at ?? null
  }
}
