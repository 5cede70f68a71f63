import { type Fault, maybeOneReceiver } from '../../core/cause.ts'
import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery } from '../../storage/rows.ts'
import type { EngineObserver } from '../log/observer.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lane } from '../schedule/lane.ts'
import type { Lanes } from '../schedule/lanes.ts'

/** How long a lane waits after a fault of ours; doubled after each further one, up to a limit. */
const DEFER_MS = SECOND_MS
const DEFER_AT_MOST_MS = 30 * SECOND_MS
/** More such faults in a row, over a longer time, while others are reached: something on the way blocks this receiver only. */
const BLOCKED = { times: 3, forMs: MINUTE_MS }
/** The same for faults that seldom concern one receiver, such as too few sockets. */
const BLOCKED_STRANGELY = { times: 20, forMs: 10 * MINUTE_MS }

interface OurFaultsParams {
  readonly clock: Clock
  readonly lanes: Lanes
  readonly claimer: Pick<Claimer, 'release' | 'wake'>
  readonly observer: Pick<EngineObserver, 'deferred'>
}

/** What happens to deliveries whose attempt failed by a fault of ours. */
export class OurFaults {
  readonly #params: OurFaultsParams

  constructor(params: OurFaultsParams) {
    this.#params = params
  }

  /** Whether something on the way blocks this receiver only, so that it would wait for ever. */
  blocksOne(lane: Lane, fault: Fault): boolean {
    const { times, forMs } = maybeOneReceiver(fault) ? BLOCKED : BLOCKED_STRANGELY
    return lane.timesBlocked > times && this.#params.clock.monotonic() - lane.blockedSince >= forMs
  }

  /**
   * The delivery stays as it was before, and its lane waits for a while.
   * @param attempt `wasSlow`: whether its lane was a slow one before it
   */
  defer(attempt: {
    readonly lane: Lane
    readonly delivery: LeasedDelivery
    readonly wasSlow: boolean
  }): void {
    const { lane, delivery, wasSlow } = attempt
    const { lanes, claimer, observer } = this.#params
    observer.deferred()
    lanes.endedUntold(lane, wasSlow)
    const dropped = lane.blocks.includes('sender') || lanes.held ? [] : this.#wait(lane)
    claimer.release(lane, [delivery, ...dropped])
  }

  /** @returns the deliveries that must go back to the store */
  #wait(lane: Lane): LeasedDelivery[] {
    const { clock, lanes, claimer } = this.#params
    const waitMs = Math.min(DEFER_MS * 2 ** lane.sendersFaults, DEFER_AT_MOST_MS)
    lane.sendersFaults++
    clock.after(waitMs, () => {
      lanes.unblock(lane, 'sender')
      claimer.wake()
    })
    return lanes.block(lane, 'sender')
  }
}
