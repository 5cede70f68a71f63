import type { Clock } from '../../../core/clock.ts'
import type { ArrivalLimits } from './limits.ts'

/** Checks per window of time. */
const LOOKS = 10

/** An incomplete body. */
export interface Arriving {
  /** So far. */
  readonly receivedBytes: number
  /** Called once when it was too slow; the body is not watched any more. */
  tooSlow(): void
}

interface Watched {
  readonly body: Arriving
  windowEndsAt: number
  bytesAtStart: number
}

/** Aborts bodies that arrive too slowly. Bodies that arrive with their head are not watched. */
export class Arrivals {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>
  readonly #limits: ArrivalLimits
  readonly #watched = new Map<Arriving, Watched>()
  #isLooking = false
  #lookedAt = 0

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, limits: ArrivalLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Bodies on their way. */
  get count(): number {
    return this.#watched.size
  }

  watch(body: Arriving): void {
    const windowEndsAt = this.#clock.monotonic() + this.#limits.windowMs
    this.#watched.set(body, { body, windowEndsAt, bytesAtStart: body.receivedBytes })
    this.#lookLater()
  }

  forget(body: Arriving): void {
    this.#watched.delete(body)
  }

  #lookLater(): void {
    if (this.#isLooking || this.#watched.size === 0) return
    this.#isLooking = true
    this.#lookedAt = this.#clock.monotonic()
    this.#clock.after(this.#limits.windowMs / LOOKS, () => {
      this.#isLooking = false
      this.#look()
      this.#lookLater()
    })
  }

  #look(): void {
    const now = this.#clock.monotonic()
    const { windowMs, bytesPerWindow } = this.#limits
    // A node that was itself blocked for long has not read what clients sent.
    const stoodStill = now - this.#lookedAt > windowMs / 2
    for (const watched of this.#watched.values()) {
      const { body, windowEndsAt, bytesAtStart } = watched
      if (!stoodStill && now < windowEndsAt) continue
      if (!stoodStill && body.receivedBytes - bytesAtStart < bytesPerWindow) {
        this.#watched.delete(body)
        body.tooSlow()
        continue
      }
      watched.windowEndsAt = now + windowMs
      watched.bytesAtStart = body.receivedBytes
    }
  }
}
