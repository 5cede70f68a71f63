/** A pending timer; opaque to callers. */
export interface Timer {
  readonly cancel: () => void
}

/**
 * The source of time for all parts of a delivery, so that a test can run a whole day in a second. Only connects have timers of
 * their own (`engine/egress`); a lint rule forbids others.
 */
export interface Clock {
  /** Wall-clock time, Unix milliseconds. May jump when the machine's clock is set. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number
  /** Runs `callback` once after `delayMs`. The timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer
}

/** The longest delay of `setTimeout`; longer ones would fire immediately. */
const MAX_TIMEOUT_MS = 2_147_483_647

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMEOUT_MS))
    handle.unref()
    return { cancel: () => clearTimeout(handle) }
  },
}
