import type { Clock, Timer } from '../../core/clock.ts'
import { durationInWords, SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../log/logger.ts'

const LOOK_EVERY_MS = SECOND_MS
/** An event loop with a longer delay may have kept responses waiting. */
const LATE_AFTER_MS = SECOND_MS

/** Detects when this process was too busy, or suspended, to read responses in time. */
export class LoopWatch {
  readonly #clock: Clock
  readonly #log: Logger
  #timer: Timer | null = null
  /** Monotonic ms. */
  #dueAt = Number.POSITIVE_INFINITY
  #lateAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock
    this.#log = log
  }

  start(): void {
    this.#dueAt = this.#clock.monotonic() + LOOK_EVERY_MS
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => {
      this.#tell(this.#look())
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

  #tell(lateMs: number): void {
    if (lateMs < LATE_AFTER_MS) return
    this.#log.warn(
      { late_ms: Math.round(lateMs) },
      `This process could not work for ${durationInWords(lateMs)}. Attempts that timed out in that time do not count and are repeated. Check whether the machine is overloaded, swapping or paused.`,
    )
  }

  /** @returns the delay in ms */
  #look(): number {
    const now = this.#clock.monotonic()
    if (now - this.#dueAt >= LATE_AFTER_MS) this.#lateAt = now
    return now - this.#dueAt
  }
}
