import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'

const LOOK_EVERY_MS = SECOND_MS
/** An event loop that is later than this may have kept answers waiting. */
const LATE_AFTER_MS = SECOND_MS

/** Notices when this process was too busy, or stopped, to read answers in time. */
export class LoopWatch {
  readonly #clock: Clock
  #timer: Timer | null = null
  /** Monotonic ms. */
  #dueAt = Number.POSITIVE_INFINITY
  #lateAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(): void {
    this.#dueAt = this.#clock.monotonic() + LOOK_EVERY_MS
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => {
      this.#look()
      this.start()
    })
  }

  stop(): void {
    this.#timer?.cancel()
    this.#dueAt = Number.POSITIVE_INFINITY
  }

  /** @param startedAt monotonic ms */
  wasLateSince(startedAt: number): boolean {
    this.#look()
    return this.#lateAt >= startedAt
  }

  #look(): void {
    const now = this.#clock.monotonic()
    if (now - this.#dueAt >= LATE_AFTER_MS) this.#lateAt = now
  }
}
