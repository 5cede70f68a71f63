import type { Clock, Timer } from '../core/clock.ts'
import type { Logger } from './logger.ts'

/**
 * A piece of background work that runs again and again. Starting twice, stopping twice and stopping before the start
 * are all fine; `stop` resolves once a run under way has ended.
 */
export class Loop {
  readonly #name: string
  readonly #clock: Clock
  readonly #log: Logger
  readonly #work: () => Promise<number | null>
  readonly #intervalMs: number
  #running: Promise<void> | null = null
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #started = false
  #again = false

  /**
   * @param work one round; resolves to the milliseconds until it wants to run again, or `null` for the interval.
   * An error is logged and the next round comes after the interval.
   */
  constructor(params: {
    readonly name: string
    readonly clock: Clock
    readonly log: Logger
    readonly intervalMs: number
    readonly work: () => Promise<number | null>
  }) {
    this.#name = params.name
    this.#clock = params.clock
    this.#log = params.log
    this.#intervalMs = params.intervalMs
    this.#work = params.work
  }

  start(): void {
    if (this.#started) return
    this.#started = true
    this.wake(0)
  }

  async stop(): Promise<void> {
    this.#started = false
    this.#disarm()
    await this.#running
  }

  /** Brings the next round forward to `inMs` from now, if it is not due sooner. Before the start it does nothing. */
  wake(inMs = 0): void {
    if (!this.#started) return
    if (this.#running !== null && inMs <= 0) {
      // The round under way may have looked before there was anything to see.
      this.#again = true
      return
    }
    const at = this.#clock.monotonic() + inMs
    if (at >= this.#timerAt) return
    this.#disarm()
    this.#timerAt = at
    this.#timer = this.#clock.after(inMs, () => {
      this.#disarm()
      if (this.#running === null) void this.runOnce()
      else this.#again = true
    })
  }

  /** Runs one round now; when one is under way, waits for that one instead. */
  runOnce(): Promise<void> {
    this.#running ??= this.#round()
    return this.#running
  }

  async #round(): Promise<void> {
    this.#disarm()
    let next: number | null = null
    try {
      next = await this.#work()
    } catch (error) {
      this.#log.error(
        { err: error, loop: this.#name },
        `${this.#name} failed; it runs again in ${this.#intervalMs} ms`,
      )
    }
    this.#running = null
    const again = this.#again
    this.#again = false
    this.wake(again ? 0 : Math.min(next ?? this.#intervalMs, this.#intervalMs))
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}
