/**
 * A rate with a burst. A single use may be larger than what is left: the next one waits until that is made up for, so
 * that no use is too large to ever succeed.
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

  /** Another rate from now on; what is left stays, up to the new capacity. */
  setRate(perMs: number, capacity: number, now: number): void {
    if (perMs === this.#perMs && capacity === this.#capacity) return
    this.#fill(now)
    this.#perMs = perMs
    this.#capacity = capacity
    this.#left = Math.min(this.#left, capacity)
  }

  /** For how many ms nothing more may be used; 0: something may be used now. */
  waitMs(now: number): number {
    this.#fill(now)
    // One whole token is what the smallest use takes.
    return this.#left >= 1 ? 0 : Math.ceil((1 - this.#left) / this.#perMs)
  }

  use(amount: number, now: number): void {
    this.#fill(now)
    this.#left -= amount
  }

  /** Undoes a use. */
  release(amount: number, now: number): void {
    this.use(-amount, now)
    this.#fill(now)
  }

  #fill(now: number): void {
    this.#left = Math.min(this.#capacity, this.#left + (now - this.#at) * this.#perMs)
    this.#at = now
  }
}
