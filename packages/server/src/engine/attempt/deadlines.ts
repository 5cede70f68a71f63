import type { Clock, Timer } from '../../core/clock.ts'

/** A deadline that can be canceled. */
export interface Deadline {
  cancel(): void
}

/** A timer this late means that the event loop was stalled, not just busy. */
const STALL_MS = 50

/**
 * Deadlines that all lie the same time ahead, so that they expire in the order they were set: one timer and a linked
 * list serve any number of them. A timer for each request would cost more CPU than signing it does.
 */
export class DeadlineQueue {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #root: Entry
  #timer: Timer | null = null
  #deferred = false

  constructor(clock: Clock, delayMs: number) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#root = new Entry(0, () => {})
  }

  /** Calls `onExpire` once the queue's delay has passed, unless canceled before. */
  set(onExpire: () => void): Deadline {
    const entry = new Entry(this.#clock.monotonic() + this.#delayMs, onExpire)
    entry.insertBefore(this.#root)
    if (this.#timer === null) this.#arm(this.#delayMs)
    return entry
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => this.#expire())
  }

  #expire(): void {
    const now = this.#clock.monotonic()
    // After a stall, timers fire before sockets are read; answers that have already arrived must not count as late.
    const stalled = now - this.#root.next.at > STALL_MS && this.#root.next !== this.#root
    if (stalled && !this.#deferred) {
      this.#deferred = true
      this.#arm(1)
      return
    }
    this.#deferred = false
    try {
      while (this.#root.next !== this.#root && this.#root.next.at <= now) {
        const entry = this.#root.next
        entry.cancel()
        entry.onExpire()
      }
    } finally {
      // Cleared only now, so that deadlines set within `onExpire` arm no timer of their own.
      this.#timer = null
      // Node's timers may fire a fraction of a millisecond early; never re-arm with less than one.
      if (this.#root.next !== this.#root) this.#arm(Math.max(1, this.#root.next.at - now))
    }
  }
}

class Entry implements Deadline {
  readonly at: number
  readonly onExpire: () => void
  next: Entry = this
  #previous: Entry = this

  constructor(at: number, onExpire: () => void) {
    this.at = at
    this.onExpire = onExpire
  }

  insertBefore(other: Entry): void {
    this.next = other
    this.#previous = other.#previous
    other.#previous.next = this
    other.#previous = this
  }

  cancel(): void {
    this.#previous.next = this.next
    this.next.#previous = this.#previous
    this.next = this
    this.#previous = this
  }
}
