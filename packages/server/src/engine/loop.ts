import type { Clock, Timer } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from './log/failureLog.ts'

/** A loop with a long interval retries sooner, so that the log soon reports success. */
const TRY_AGAIN_AFTER_MS = 10 * SECOND_MS

/**
 * A piece of background work that runs repeatedly. Starting twice, stopping twice and stopping before the start are allowed;
 * `stop` resolves once a run in progress has ended.
 */
export class Loop {
  readonly #name: string
  readonly #clock: Clock
  readonly #failureLog: FailureLog
  readonly #work: () => Promise<number | null>
  readonly #intervalMs: number
  readonly #keepsRests: boolean
  #running: Promise<void> | null = null
  #timer: Timer | null = null
  #timerAt = Number.POSITIVE_INFINITY
  /** Monotonic time before which no wake starts a round. */
  #restsUntil = 0
  #started = false
  #again = false

  /**
   * @param work one round; resolves to the milliseconds until it wants to run again, or `null` for the interval.
   * After an error the next round comes after 10 s, or after the interval if that is shorter.
   * @param keepsRests whether the time that `work` asks for is kept when the loop is woken; the interval never is
   */
  constructor(params: {
    readonly name: string
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly intervalMs: number
    readonly work: () => Promise<number | null>
    readonly keepsRests?: boolean
  }) {
    this.#name = params.name
    this.#clock = params.clock
    this.#failureLog = params.failureLog
    this.#intervalMs = params.intervalMs
    this.#work = params.work
    this.#keepsRests = params.keepsRests ?? false
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

  /** Brings the next round forward to `inMs` from now, if it is not due sooner. No effect before the start. */
  wake(inMs = 0): void {
    if (!this.#started) return
    if (this.#running !== null && inMs <= 0) {
      // The round in progress may have read before the change that this call is about.
      this.#again = true
      return
    }
    const now = this.#clock.monotonic()
    const waitMs = Math.max(inMs, this.#restsUntil - now)
    const at = now + waitMs
    if (at >= this.#timerAt) return
    this.#disarm()
    this.#timerAt = at
    this.#timer = this.#clock.after(waitMs, () => {
      this.#disarm()
      if (this.#running === null) void this.runOnce()
      else this.#again = true
    })
  }

  /** Runs one round now; if one is in progress, waits for it instead. */
  runOnce(): Promise<void> {
    this.#running ??= this.#round()
    return this.#running
  }

  async #round(): Promise<void> {
    this.#disarm()
    let next: number
    try {
      const rest = await this.#work()
      next = rest ?? this.#intervalMs
      if (this.#keepsRests) this.#restsUntil = this.#clock.monotonic() + (rest ?? 0)
      this.#failureLog.worked(this.#name)
    } catch (error) {
      next = TRY_AGAIN_AFTER_MS
      this.#failureLog.failed(this.#name, error)
    }
    this.#running = null
    const again = this.#again
    this.#again = false
    this.wake(again ? 0 : Math.min(next, this.#intervalMs))
  }

  #disarm(): void {
    this.#timer?.cancel()
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}
