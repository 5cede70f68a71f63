import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'

/** Once something has been waiting for this long without a break, attempts are behind. */
export const BEHIND_AFTER_MS = MINUTE_MS
/** The rate grows with the square of the time for which only this limiter delayed attempts, and doubles in this time. */
const DOUBLED_AFTER_MS = 10 * MINUTE_MS
/** With the first fast answer for a minute the rate drops to this part: first attempts come on top of it. */
const CAUTION = 3 / 4
/** Timers fire late: attempts missed within this time may still go. */
const LENIENCE_MS = 50
/** Retries that are on time use up the rate as well, but delay what is behind by no more than this. */
const MAX_DEBT_MS = SECOND_MS

/**
 * Limits the rate of attempts that have fallen behind. Attempts fall behind when receivers hang and take all slots. The end
 * of the outage frees all slots in the same second, and without a limit everything would go at once. So attempts continue at
 * the rate they had while they fell behind, or at the rate that the slots allow when every receiver hangs, whichever is
 * higher. From there the rate grows until nothing is behind.
 *
 * It grows with the square of the time. That bounds the peak: at its end it is three times its mean, however much there was
 * to catch up with.
 */
export class CatchUpLimiter {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #slots: number
  readonly #hangMs: () => number
  /** Since when something has been waiting without a break; monotonic milliseconds. */
  #waitingSince: number | null = null
  /** How many attempts have gone since then. */
  #gone = 0
  /** Attempts per millisecond; 0 until something is behind. */
  #firstRate = 0
  #nextAt = 0
  #wentAt = 0
  /** Whether the rate is what limits the next one. */
  #holdsUp = false
  #limitedMs = 0
  /** When a slow receiver last answered fast. */
  #answeredAt = Number.NEGATIVE_INFINITY

  /**
   * @param slots how many attempts may be in flight
   * @param hangMs how long an attempt takes at most
   */
  constructor(clock: Pick<Clock, 'monotonic'>, slots: number, hangMs: () => number) {
    this.#clock = clock
    this.#slots = slots
    this.#hangMs = hangMs
  }

  /** The lowest rate, attempts per millisecond. */
  get #leastRate(): number {
    return this.#slots / this.#hangMs()
  }

  get active(): boolean {
    return this.#firstRate > 0
  }

  /** Something waits because no slot is free. */
  waits(): void {
    this.#waitingSince ??= this.#clock.monotonic()
    this.#holdsUp = false
  }

  /** Nothing waits any more. */
  caughtUp(): void {
    this.#waitingSince = null
    this.#gone = 0
    this.#firstRate = 0
    this.#holdsUp = false
    this.#limitedMs = 0
  }

  /** @returns milliseconds until the next one may go; 0: now */
  waitMs(): number {
    if (this.#waitingSince === null) return 0
    const now = this.#clock.monotonic()
    if (!this.active && now - this.#waitingSince >= BEHIND_AFTER_MS) {
      this.#firstRate = Math.max(this.#leastRate, this.#gone / (now - this.#waitingSince))
      this.#nextAt = now
      this.#wentAt = now
    }
    if (!this.active || now >= this.#nextAt) return 0
    this.#holdsUp = true
    return this.#nextAt - now
  }

  /** A slow receiver answered fast. */
  answered(): void {
    const now = this.#clock.monotonic()
    if (this.active && now - this.#answeredAt >= BEHIND_AFTER_MS) {
      // One receiver that answers now and then must not slow down all others more and more.
      this.#firstRate = Math.max(this.#leastRate, this.#rate * CAUTION)
      this.#limitedMs = 0
    }
    this.#answeredAt = now
  }

  /** One has gone. */
  went(): void {
    if (this.#waitingSince === null) return
    this.#gone++
    if (!this.active) return
    const now = this.#clock.monotonic()
    const changeMs = this.#holdsUp ? Math.min(now, this.#nextAt) - this.#wentAt : this.#wentAt - now
    this.#limitedMs = Math.max(0, this.#limitedMs + changeMs)
    this.#wentAt = now
    this.#holdsUp = false
    this.#nextAt = Math.min(Math.max(this.#nextAt, now - LENIENCE_MS), now + MAX_DEBT_MS) + 1 / this.#rate
  }

  get #rate(): number {
    return this.#firstRate * (1 + (this.#limitedMs / DOUBLED_AFTER_MS) ** 2)
  }
}
