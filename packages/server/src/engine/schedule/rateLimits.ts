import type { Clock } from '../../core/clock.ts'
import type { AttemptOutcome } from '../../core/delivery.ts'
import { isLimited, type WebhookLimit } from '../../core/limit.ts'
import type { DeliveryPolicy } from '../../core/policy.ts'
import { slowDownMs } from '../../core/retryAfter.ts'
import type { Lane } from './lane.ts'
import { LaneLimiter } from './laneLimiter.ts'
import type { LaneMap } from './laneMap.ts'

interface Answer {
  readonly outcome: Pick<AttemptOutcome, 'error' | 'statusCode' | 'retryAfter'>
  /** Unix ms. */
  readonly endedAt: number
}

/** Limits the rate of lanes. Most have no limiter, and cost nothing here. */
export class RateLimits {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>
  readonly #map: Pick<LaneMap, 'all'>
  readonly #onFree: (lane: Lane) => void

  constructor(params: {
    readonly clock: Pick<Clock, 'monotonic' | 'after'>
    readonly map: Pick<LaneMap, 'all'>
    /** Called when a lane may be sent to that had to wait. */
    readonly onFree: (lane: Lane) => void
  }) {
    this.#clock = params.clock
    this.#map = params.map
    this.#onFree = params.onFree
  }

  /**
   * Whether nothing of a lane with a limiter may be sent now.
   * @param slots attempts that may be under way whatever its limit
   */
  holds(lane: Lane, slots: number): boolean {
    const { limiter } = lane
    if (limiter === null || limiter.outdated) return false
    const now = this.#clock.monotonic()
    if (!limiter.limited && !limiter.isSlowed(now)) {
      this.forget(lane)
      return false
    }
    if (lane.inFlight >= Math.min(slots, limiter.slots(now))) return true
    const waitMs = limiter.waitMs(now)
    if (waitMs === 0) return false
    limiter.wake(this.#clock, waitMs, () => {
      if (lane.limiter === limiter) this.#onFree(lane)
    })
    return true
  }

  went({ limiter }: Lane): void {
    limiter?.went(this.#clock.monotonic())
  }

  /** The webhook changed: its limit may be another one. */
  changed(lane: Lane): void {
    if (lane.limiter === null) return
    lane.limiter.outdated = true
    this.#free(lane)
  }

  /**
   * The webhook has this limit, or none.
   * @returns whether what waits must go back to the store: it was leased before there was a limit, when other nodes could lease, too
   */
  setLimit(lane: Lane, limit: WebhookLimit, version: number): boolean {
    if (lane.limiter === null && !isLimited(limit)) return false
    const limiter = lane.limiter ?? new LaneLimiter()
    lane.limiter = limiter
    limiter.setLimit(limit, version, this.#clock.monotonic())
    this.#free(lane)
    return lane.some(({ webhookVersion }) => limiter.predates(webhookVersion))
  }

  /**
   * An attempt has its answer. A receiver may ask for less of everything; the first delivery that it takes afterwards ends that.
   * @param startedAt when it began, monotonic ms
   */
  answered(
    lane: Lane,
    { outcome, endedAt }: Answer,
    startedAt: number,
    { honorsRetryAfter }: Pick<DeliveryPolicy, 'honorsRetryAfter'>,
  ): void {
    if (outcome.error === null) {
      if (lane.limiter?.speedUp(startedAt) === true) this.#free(lane)
      return
    }
    const forMs = honorsRetryAfter ? slowDownMs(outcome, endedAt) : 0
    if (forMs === 0) return
    lane.limiter ??= new LaneLimiter()
    lane.limiter.slowDown(this.#clock.monotonic(), forMs)
  }

  /**
   * Lanes of webhooks with limits for which this node can do nothing now, and others perhaps can.
   * @param closable those that may be closed @param held whether nothing is sent at all
   */
  unusable(closable: Iterable<Lane>, held: boolean): Lane[] {
    const isUnused = ({ inFlight, waiting, closed }: Lane) =>
      inFlight === 0 && waiting === 0 && (held || closed)
    const lanes = [...(held ? this.#map.all() : closable)]
    return lanes.filter((lane) => lane.limiter?.limited === true && isUnused(lane))
  }

  /** Other nodes may send to them from now on: what is known of their limits may become outdated. */
  forgetLimits(lanes: Iterable<Lane> = this.#map.all()): void {
    for (const lane of lanes) {
      if (lane.limiter?.limited !== true) continue
      this.forget(lane)
      lane.target = null
    }
  }

  forget(lane: Lane): void {
    lane.limiter?.cancel()
    lane.limiter = null
  }

  #free(lane: Lane): void {
    lane.limiter!.cancel()
    this.#onFree(lane)
  }
}
