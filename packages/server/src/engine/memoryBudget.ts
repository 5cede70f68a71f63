import type { SendQueue } from './sendQueue.ts'

/** Deliveries that may wait in memory, and the characters of their bodies. */
const MAX_WAITING = 10_000
const MAX_CHARACTERS = 64 * 1024 * 1024

/** How much more the node may take into memory. What does not fit stays in the store, due now. */
export class MemoryBudget {
  readonly #queue: SendQueue
  #promised = 0

  constructor(queue: SendQueue) {
    this.#queue = queue
  }

  /** Deliveries there is room for now. */
  get room(): number {
    if (this.#queue.characters >= MAX_CHARACTERS) return 0
    return Math.max(0, MAX_WAITING - this.#queue.size - this.#promised)
  }

  /** Sets room aside for calls whose answer is still out. */
  promise(count: number): void {
    this.#promised += count
  }

  keepPromise(count: number): void {
    this.#promised -= count
  }

  /** Webhooks that have enough waiting not to be claimed for. */
  fullWebhooks(count: number): number[] {
    return this.#queue.withAtLeast(count)
  }
}
