/** A pending timer; opaque to callers. */
export interface Timer {
  readonly cancel: () => void
}

/**
 * The sense of time of everything that a delivery passes through, so that a test can drive a whole day in a second.
 * Connects alone have timers of their own (`engine/egress`); a lint rule keeps them out of the rest.
 */
export interface Clock {
  /** Wall-clock time, Unix milliseconds. May jump when the machine's clock is set. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number
  /** Runs `callback` once after `delayMs`. The timer alone does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer
}

/** The longest delay `setTimeout` takes; longer ones would fire at once. */
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
