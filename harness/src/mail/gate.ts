import type { Fate } from './mailServer.ts'

interface Held {
  readonly node: number
  readonly decide: (fate: Fate) => void
}

/**
 * Holds up messages that have arrived whole and are not answered yet, so that a node is killed when it can have nothing
 * that was accepted and is not marked as sent.
 */
export class Gate {
  #permits = 0
  #held: Held[] = []

  /** What becomes of a message of a node; resolves once that is decided. */
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

  /** Accepts what is held and so many more; of a node that was killed nothing. */
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
