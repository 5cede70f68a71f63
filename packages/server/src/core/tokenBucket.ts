/**
 * A rate limit with a burst. A single use may exceed the tokens that are left: the next one then waits until the debt is paid,
 * so that no use is too large to ever succeed.
 */
export class TokenBucket {
  #perMs: number
  #capacity: number
  #left: number
  #at: number

  /** @param now ms of a clock that never goes back */
  constructor(params: { readonly perMs: number; readonly capacity: number }, now: number) {
    this.#perMs = params.perMs
    this.#capacity = params.capacity
    this.#left = params.capacity
    this.#at = now
  }

  /** Changes the rate; the tokens that are left stay, up to the new capacity. */
  setRate(perMs: number, capacity: number, now: number): void {
    if (perMs === this.#perMs && capacity === this.#capacity) return
    this.#fill(now)
    this.#perMs = perMs
    this.#capacity = capacity
    this.#left = Math.min(this.#left, capacity)
  }

  /** Milliseconds until the next use is allowed; 0: now. */
  waitMs(now: number): number {
    this.#fill(now)
    // The smallest use takes one token.
    return this.#left >= 1 ? 0 : Math.ceil((1 - this.#left) / this.#perMs)
  }

  use(amount: number, now: number): void {
    this.#fill(now)
    this.#left -= amount
  }

  /** Returns the tokens of a use. */
  release(amount: number, now: number): void {
    this.use(-amount, now)
    this.#fill(now)
  }

  #fill(now: number): void {
    this.#left = Math.min(this.#capacity, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
  }
}
