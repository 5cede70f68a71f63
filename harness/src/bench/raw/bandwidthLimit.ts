import { setTimeout as sleep } from 'node:timers/promises'

/** Timers are no more exact than this; anything due sooner is sent at once. */
const AT_ONCE_MS = 5

/** A limit of total bandwidth, which serves its users in the order of their requests. */
export class BandwidthLimit {
  readonly #bytesPerMs: number
  #freeAtMs = 0

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1000
  }

  /** Resolves when the limit has room for this many bytes. */
  async take(bytes: number): Promise<void> {
    const nowMs = performance.now()
    const startMs = Math.max(nowMs, this.#freeAtMs)
    this.#freeAtMs = startMs + bytes / this.#bytesPerMs
    if (startMs - nowMs > AT_ONCE_MS) await sleep(startMs - nowMs)
  }
}
