import type { Clock, Timer } from '../../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { EgressAgent } from '../egress/index.ts'
import { ask, type ToAsk } from './inquiry.ts'
import { isBeyondOurSide } from './verdict.ts'
import type { Witnesses } from './witnesses.ts'

/** One origin at a time: every second at first, then less often. */
const EVERY_MS = SECOND_MS
const RARELY_EVERY_MS = 5 * SECOND_MS
const RARELY_AFTER_MS = MINUTE_MS
/** As long as the connect of an attempt. Probes overlap, so that a slow network is found as well. */
const TIMEOUT_MS = 10 * SECOND_MS

/** While sending is held, probes one receiver after another until the network works again. */
export class HeldProbes {
  readonly #clock: Clock
  readonly #probe: EgressAgent['probe']
  readonly #witnesses: Pick<Witnesses, 'failed' | 'others'>
  readonly #onOpen: (tookMs: number | null) => Promise<boolean>
  #timer: Timer | null = null
  /** Monotonic ms; earlier probes prove nothing. */
  #startedAt = Number.POSITIVE_INFINITY
  #inTurn: readonly ToAsk[] = []
  #turn = 0
  #ownFault = false
  #opening = false

  constructor(params: {
    readonly clock: Clock
    readonly probe: EgressAgent['probe']
    readonly witnesses: Pick<Witnesses, 'failed' | 'others'>
    /**
     * Resolves to false when probing must continue.
     * @param tookMs duration of the probe that was answered; `null`: none was, but our own fault is gone
     */
    readonly onOpen: (tookMs: number | null) => Promise<boolean>
  }) {
    this.#clock = params.clock
    this.#probe = params.probe
    this.#witnesses = params.witnesses
    this.#onOpen = params.onOpen
  }

  /**
   * @param inTurn the origins to probe first
   * @param ownFault whether the fault was the same for every receiver, so that any other fault shows that it is gone
   */
  start(inTurn: readonly ToAsk[], ownFault: boolean): void {
    this.#startedAt = this.#clock.monotonic()
    this.#inTurn = inTurn
    this.#turn = 0
    this.#ownFault = ownFault
    this.#next(EVERY_MS)
  }

  stop(): void {
    this.#startedAt = Number.POSITIVE_INFINITY
    this.#timer?.cancel()
    this.#timer = null
  }

  #next(inMs: number): void {
    this.#timer = this.#clock.after(inMs, () => void this.#askNext())
  }

  /** Never the same origin twice in a row, if there are others. */
  async #askNext(): Promise<void> {
    const askedAt = this.#clock.monotonic()
    this.#next(askedAt - this.#startedAt < RARELY_AFTER_MS ? EVERY_MS : RARELY_EVERY_MS)
    const toAsk = this.#inTurn[this.#turn++ % this.#inTurn.length]!
    if (this.#turn % this.#inTurn.length === 0) void this.#findOthers(toAsk)
    const { name, fault } = await ask(this.#probe, toAsk, TIMEOUT_MS)
    const isOpen = this.#ownFault ? isBeyondOurSide(fault) : fault === null
    if (!isOpen) this.#witnesses.failed(name)
    if (!isOpen || askedAt < this.#startedAt || this.#opening) return
    this.#opening = true
    const tookMs = fault === null ? this.#clock.monotonic() - askedAt : null
    if (await this.#onOpen(tookMs)) this.stop()
    this.#opening = false
  }

  /** All were probed without success: they may be gone for good. */
  async #findOthers(last: ToAsk): Promise<void> {
    const others = await this.#witnesses.others()
    if (others.length === 0) return
    this.#inTurn = others
    this.#turn = others[0]!.name === last.name ? 1 : 0
  }
}
