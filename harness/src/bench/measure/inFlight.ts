/** How many are under way at once, by group, and how many there were at most. */
export class InFlight {
  readonly #now = new Map<string, number>()
  readonly #most = new Map<string, number>()

  /** @returns what is to be called when it is over; it may be called again */
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

  /** From now on the most is counted anew. */
  reset(): void {
    this.#most.clear()
    for (const [group, now] of this.#now) this.#most.set(group, now)
  }

  most(): Record<string, number> {
    return Object.fromEntries(this.#most)
  }
}
