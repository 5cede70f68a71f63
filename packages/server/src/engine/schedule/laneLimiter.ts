import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { isLimited, NO_LIMIT, portionOf, type WebhookLimit } from '../../core/limit.ts'

/** Timers fire late: attempts missed within this time may still go. So no second has more than a tenth above the limit. */
const LENIENCE_MS = 100
/** While its receiver asks for less, a lane is sent one delivery at a time, and one in this time. */
const TRICKLE_EVERY_MS = SECOND_MS
/** A claim is made for a limited lane once it has this part of a portion left. */
const REFILLED_AT = 3 / 4
/** With less than this, the claim is made at once. */
const LOW_AT = 1 / 4

/** How fast one lane is sent to: by the limit of its webhook, or since its receiver asked for less. All times are monotonic ms. */
export class LaneLimiter {
  #limit: WebhookLimit = NO_LIMIT
  #portion = 0
  /** The version of the webhook from which on it is known to have a limit. */
  #since = 0
  /** Whether the webhook has changed since its limit was read: the lane has its next turn at once, to read it again. */
  outdated = false
  /** When the limit lets the next attempt begin. */
  #nextAt = Number.NEGATIVE_INFINITY
  #slowedAt = Number.NEGATIVE_INFINITY
  #slowedUntil = Number.NEGATIVE_INFINITY
  #trickleAt = Number.NEGATIVE_INFINITY
  #timer: Timer | null = null

  get limited(): boolean {
    return isLimited(this.#limit)
  }

  /** Whether enough waits in memory, so that nothing is claimed. */
  hasEnough(waiting: number): boolean {
    return this.limited && waiting > this.#portion * REFILLED_AT
  }

  runsLow(waiting: number): boolean {
    return waiting <= this.#portion * LOW_AT
  }

  /** Whether a delivery was leased before the limit was set, perhaps to several nodes. */
  predates(webhookVersion: number): boolean {
    return this.limited && webhookVersion < this.#since
  }

  /** @param version of the webhook */
  setLimit(limit: WebhookLimit, version: number, now: number): void {
    this.outdated = false
    const { maxPerSecond, maxInFlight } = this.#limit
    if (maxPerSecond === limit.maxPerSecond && maxInFlight === limit.maxInFlight) return
    if (!this.limited) this.#since = version
    this.#limit = limit
    this.#portion = portionOf(limit)
    // Another node may have sent one just now.
    this.#nextAt = now + this.#intervalMs
  }

  slowDown(now: number, forMs: number): void {
    if (now >= this.#slowedUntil) this.#slowedAt = now
    this.#slowedUntil = Math.max(this.#slowedUntil, now + forMs)
    this.#trickleAt = now + TRICKLE_EVERY_MS
  }

  /** Its receiver has accepted a delivery. @param startedAt when the attempt began @returns whether the slowdown is over */
  speedUp(startedAt: number): boolean {
    if (startedAt < this.#slowedAt || this.#slowedUntil === Number.NEGATIVE_INFINITY) return false
    this.#slowedUntil = Number.NEGATIVE_INFINITY
    return true
  }

  isSlowed(now: number): boolean {
    return now < this.#slowedUntil
  }

  /** How many attempts may be in flight, as far as it knows. */
  slots(now: number): number {
    return this.isSlowed(now) ? 1 : (this.#limit.maxInFlight ?? Number.POSITIVE_INFINITY)
  }

  /** @returns milliseconds until the next attempt may begin; 0: now */
  waitMs(now: number): number {
    const at = this.isSlowed(now) ? Math.max(this.#nextAt, this.#trickleAt) : this.#nextAt
    return Math.max(0, at - now)
  }

  went(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, now - LENIENCE_MS) + this.#intervalMs
    this.#trickleAt = now + TRICKLE_EVERY_MS
  }

  /** Calls back when the next attempt may begin, once. */
  wake(clock: Pick<Clock, 'after'>, inMs: number, callback: () => void): void {
    this.#timer ??= clock.after(Math.ceil(inMs), () => {
      this.#timer = null
      callback()
    })
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  get #intervalMs(): number {
    const { maxPerSecond } = this.#limit
    return maxPerSecond === null ? 0 : SECOND_MS / maxPerSecond
  }
}
