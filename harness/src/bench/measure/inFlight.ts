/** The current and the highest number of concurrent requests, by group. */
export class InFlight {
  readonly #now = new Map<string, number>()
  readonly #most = new Map<string, number>()

  /** @returns a function to call when it is over; calling it again has no effect */
  enter(group: string): () => void {
    const now = (this.#now.get(group) ?? 0) + 1
    this.#now.set(group, now)
    this.#most.set(group, Math.max(now, this.#most.get(group) ?? 0))
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#now.set(group, this.#now.get(group)! - 1)
    }
  }

  /** Restarts the count of the highest number. */
  reset(): void {
    this.#most.clear()
    for (const [group, now] of this.#now) this.#most.set(group, now)
  }

  most(): Record<string, number> {
    return Object.fromEntries(this.#most)
  }
}
