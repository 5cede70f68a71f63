import type { Fate } from './mailServer.ts'

interface Held {
  readonly node: number
  readonly decide: (fate: Fate) => void
}

/**
 * Holds messages that have arrived completely and are not answered yet, so that a killed node has no message
 * that was accepted but is not marked as sent.
 */
export class Gate {
  #permits = 0
  #held: Held[] = []

  /** Decides about a message of a node; resolves once that is decided. */
  readonly arrival = (node: number): Promise<Fate> | Fate => {
    if (this.#permits > 0) {
      this.#permits -= 1
      return 'accept'
    }
    return new Promise((decide) => this.#held.push({ node, decide }))
  }

  holds(node: number): boolean {
    return this.#held.some((one) => one.node === node)
  }

  /** Accepts the held messages and `more` others; none of a killed node. */
  open(more: number, killed: number | null = null): void {
    this.#permits = more
    const held = this.#held
    this.#held = []
    for (const { node, decide } of held) decide(node === killed ? 'drop' : 'accept')
  }

  /** From now on everything is held. */
  close(): void {
    this.#permits = 0
  }
}
