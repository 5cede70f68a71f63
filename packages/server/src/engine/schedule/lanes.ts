import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { ReceiverSpeed } from './admission.ts'
import { BEHIND_AFTER_MS, CatchUpLimiter } from './catchUpLimiter.ts'
import { type BlockReason, type Lane, weightOf } from './lane.ts'
import { LaneMap } from './laneMap.ts'
import { LaneTurns } from './laneTurns.ts'
import { MemoryAccount } from './memoryAccount.ts'
import { RateLimits } from './rateLimits.ts'

export interface LaneLimits {
  /** Attempts in flight in all lanes. */
  readonly maxInFlight: number
  readonly maxInFlightPerWebhook: number
}

/** Unproven lanes together may take this part of the slots for attempts in flight. */
const UNPROVEN_PART = 5 / 8
/** Slow lanes get no slot once unproven lanes have this part of them. The slots between are for unknown lanes. */
const SLOW_PART = 1 / 2

/**
 * The lanes of all webhooks that this node knows, the order in which they are sent to, and the sums over them.
 *
 * Workspaces take turns, and within one its lanes, so that a long lane delays no other. Unproven lanes share a part of the
 * slots: however many receivers hang, fast ones keep the rest. Unknown lanes go before slow ones, with one attempt each
 * until its answer, and find slots that slow ones cannot take. A rate limit applies to what falls behind in slow lanes.
 */
export class Lanes {
  readonly #limits: LaneLimits
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>
  /** Parts of the slots. */
  #unprovenSlots = 0
  #slowSlots = 0
  readonly #catchUp: CatchUpLimiter
  readonly #map = new LaneMap()
  readonly memory = new MemoryAccount(this.#map)
  readonly rateLimits: RateLimits
  readonly #turns: Readonly<Record<ReceiverSpeed, LaneTurns>> = {
    unknown: new LaneTurns('unknown'),
    fast: new LaneTurns('fast'),
    slow: new LaneTurns('slow'),
  }
  /** Lanes whose new deliveries must stay in the store. */
  readonly #keptInStore = new Set<Lane>()
  /** Claim calls begun so far. */
  #claims = 0
  #inFlight = 0
  #unprovenInFlight = 0
  #unprovenIsNext = false
  /** Attempts that may be in flight now. */
  #slots = 0
  #held = false
  #onReady: () => void = () => {}

  constructor(params: {
    readonly limits: LaneLimits
    /** How long an attempt takes at most, ms. */
    readonly hangMs: () => number
    readonly clock: Pick<Clock, 'monotonic' | 'after'>
  }) {
    this.#limits = params.limits
    this.#clock = params.clock
    const onFree = (lane: Lane) => {
      this.#queue(lane)
      this.#onReady()
    }
    this.rateLimits = new RateLimits({ clock: params.clock, map: this.#map, onFree })
    this.#divide(params.limits.maxInFlight)
    this.#catchUp = new CatchUpLimiter(params.clock, this.#slowSlots, params.hangMs)
  }

  /** Calls back whenever something may be sent that could not be before. */
  onReady(callback: () => void): void {
    this.#onReady = callback
  }

  /** Something outside of the lanes no longer holds up attempts. */
  ready(): void {
    this.#onReady()
  }

  /** Whether nothing is sent at all: what was in memory went back to the store, and new deliveries stay there. */
  get held(): boolean {
    return this.#held
  }

  /** Holds all sending. @returns the deliveries that must go back to the store */
  hold(): LeasedDelivery[] {
    this.#held = true
    return [...this.memory.lanes].flatMap((lane) => this.drop(lane))
  }

  resume(): void {
    this.#held = false
    this.#onReady()
  }

  /** So many attempts may be in flight from now on. */
  setSlots(slots: number): void {
    const more = slots > this.#slots
    this.#divide(slots)
    if (more) this.#onReady()
  }

  #divide(slots: number): void {
    const part = (of: number) => Math.max(1, Math.floor(slots * of))
    this.#slots = slots
    this.#unprovenSlots = part(UNPROVEN_PART)
    this.#slowSlots = part(SLOW_PART)
  }

  get inFlight(): number {
    return this.#inFlight
  }

  find(webhookId: number): Lane | undefined {
    return this.#map.find(webhookId)
  }

  of(webhook: WebhookRef): Lane {
    return this.#map.of(webhook)
  }

  /**
   * Takes each delivery into memory if its lane has room. What is claimed for fast lanes always fits: claims ask for no more.
   * @returns those without room, which must go back to the store
   */
  add(deliveries: readonly LeasedDelivery[], from: 'publish' | 'claim'): LeasedDelivery[] {
    const refused: LeasedDelivery[] = []
    for (const delivery of deliveries) {
      const lane = this.of(delivery)
      const fits = (from === 'claim' && lane.speed === 'fast') || this.memory.roomIn(lane) > 0
      const mayStay = !lane.closed && !this.#held && !lane.limiter?.predates(delivery.webhookVersion)
      if (fits && mayStay) this.#push(lane, delivery)
      else {
        refused.push(delivery)
        this.noteBacklog(lane)
      }
    }
    this.#onReady()
    return refused
  }

  /** The lane whose turn it is; `null`: nothing may be sent now. Its turn ends here: take from it, drop it or block it. */
  next(): Lane | null {
    if (this.#held || this.#inFlight >= this.#slots) return null
    this.#unprovenIsNext = !this.#unprovenIsNext
    return this.#unprovenIsNext
      ? (this.#nextUnproven() ?? this.#nextOf('fast'))
      : (this.#nextOf('fast') ?? this.#nextUnproven())
  }

  /** Takes the first delivery of a lane and counts it as in flight. */
  take(lane: Lane): LeasedDelivery {
    const delivery = lane.shift()
    // Retries that are on time count towards the catch-up rate, and leave less of it to what is behind.
    if (lane.speed !== 'slow' && delivery.attempts > delivery.runStart) this.#catchUp.went()
    this.memory.count(lane, -1, -weightOf(delivery))
    this.#countInFlight(lane, 1)
    if (lane.limiter !== null) this.rateLimits.went(lane)
    this.#queue(lane)
    return delivery
  }

  /** Milliseconds until the catch-up limiter lets the next slow lane go; `null`: it holds up none. */
  nextInMs(): number | null {
    if (this.#unprovenInFlight >= this.#slowSlots || this.#turns.slow.empty) return null
    return Math.ceil(this.#catchUp.waitMs()) || null
  }

  /** An attempt ended that tells nothing of the receiver. @param wasSlow whether the lane was a slow one before it */
  endedUntold(lane: Lane, wasSlow: boolean): void {
    this.#countInFlight(lane, -1)
    // It may only have looked slow.
    if (!wasSlow && lane.speed === 'slow') this.#setSpeed(lane, 'unknown')
    this.#queue(lane)
  }

  /** An attempt ended. @param fast whether it succeeded without delay */
  finished(lane: Lane, fast: boolean): void {
    this.#countInFlight(lane, -1)
    if (fast && lane.speed === 'slow') this.#catchUp.answered()
    if (!fast) this.markSlow(lane)
    else if (!this.#isCatchingUp(lane)) this.#setSpeed(lane, 'fast')
    this.#queue(lane)
  }

  /** The receiver has failed an attempt or kept it waiting. */
  markSlow(lane: Lane): void {
    if (lane.speed === 'slow') return
    lane.slowSince = this.#clock.monotonic()
    this.#setSpeed(lane, 'slow')
  }

  /** Lets nothing be sent. @returns the deliveries that must go back to the store */
  block(lane: Lane, reason: BlockReason): LeasedDelivery[] {
    if (!lane.blocks.includes(reason)) lane.blocks = [...lane.blocks, reason]
    this.#noteKeptInStore(lane)
    return reason === 'loading' ? [] : this.drop(lane)
  }

  /** Ends the block for this reason. A lane whose target was read when its turn came gets the next turn. */
  unblock(lane: Lane, reason: BlockReason): void {
    if (!lane.blocks.includes(reason)) return
    lane.blocks = lane.blocks.filter((other) => other !== reason)
    this.#noteKeptInStore(lane)
    this.#queue(lane, reason === 'loading' ? 'first' : 'last')
  }

  /** The webhook changed in the store: nothing more may be sent under what was known of it. */
  changed(webhookId: number): void {
    const lane = this.find(webhookId)
    if (lane === undefined) return
    lane.target = null
    lane.changes++
    this.unblock(lane, 'unsendable')
    this.rateLimits.changed(lane)
  }

  /** Profiles changed. @param isCurrent whether a profile is the one that is served now */
  profilesChanged(isCurrent: (dialect: Dialect) => boolean): void {
    for (const { webhookId, target } of [...this.#map.all()])
      if (target === null || !isCurrent(target.dialect)) this.changed(webhookId)
  }

  /** Takes out everything that waits in a lane. */
  drop(lane: Lane): LeasedDelivery[] {
    const { weight } = lane
    const dropped = lane.empty()
    this.memory.count(lane, -dropped.length, -weight)
    return dropped
  }

  /** Takes out everything that waits. */
  dropAll(): void {
    for (const lane of [...this.memory.lanes]) this.drop(lane)
  }

  /** The store holds due deliveries of this lane for which there is no room now. */
  noteBacklog(lane: Lane): void {
    lane.backlogSince = this.#claims
    this.#noteKeptInStore(lane)
  }

  /** A claim call begins. It may not find what is noted from here on. */
  claimBegins(): void {
    this.#claims++
  }

  /** The claim call has taken all that the store held of these lanes when it began. */
  caughtUp(includes: (lane: Lane) => boolean): void {
    for (const lane of this.#keptInStore) {
      if (lane.backlogSince === null || lane.backlogSince >= this.#claims || !includes(lane)) continue
      lane.backlogSince = null
      this.#noteKeptInStore(lane)
    }
  }

  /** Lanes whose new deliveries must stay in the store: behind older ones, or because they cannot be sent. */
  keptInStore(workspaceId?: number): Iterable<Lane> {
    if (workspaceId === undefined) return this.#keptInStore
    return this.#map.findWorkspace(workspaceId)?.keptInStore ?? []
  }

  #nextUnproven(): Lane | null {
    const unknown = this.#unprovenInFlight < this.#unprovenSlots ? this.#nextOf('unknown') : null
    return unknown ?? this.#nextSlow()
  }

  #nextSlow(): Lane | null {
    if (this.#unprovenInFlight >= this.#slowSlots) {
      if (!this.#turns.slow.empty) this.#catchUp.waits()
      return null
    }
    if (!this.#turns.slow.empty && this.#catchUp.waitMs() > 0) return null
    const lane = this.#nextOf('slow')
    if (lane === null) this.#catchUp.caughtUp()
    // Counted at its turn, not when it is sent to: lanes whose targets are read would empty the order of turns and end the limit.
    else this.#catchUp.went()
    return lane
  }

  #nextOf(speed: ReceiverSpeed): Lane | null {
    const turns = this.#turns[speed]
    for (let lane = turns.shift(); lane !== undefined; lane = turns.shift()) {
      // Lanes that were emptied or blocked stay in the order of turns and are skipped here, since a search costs more.
      if (lane.waiting > 0 && !lane.blocked && !this.#rateLimited(lane)) return lane
    }
    return null
  }

  #queue(lane: Lane, place: 'first' | 'last' = 'last'): void {
    if (lane.queued || lane.blocked || lane.waiting === 0) return
    if (lane.inFlight >= this.#slotsOf(lane) || this.#rateLimited(lane)) return
    if (place === 'last') this.#turns[lane.speed].push(lane)
    else this.#turns[lane.speed].unshift(lane)
  }

  #rateLimited(lane: Lane): boolean {
    return lane.limiter !== null && this.rateLimits.holds(lane, this.#slotsOf(lane))
  }

  /** One attempt shows whether a receiver is fast. With more, a few that hang would keep all others from being tried. */
  #slotsOf({ speed }: Lane): number {
    return speed === 'unknown' ? 1 : this.#limits.maxInFlightPerWebhook
  }

  #setSpeed(lane: Lane, speed: ReceiverSpeed): void {
    if (lane.speed === speed) return
    if (lane.queued) this.#turns[lane.speed].remove(lane)
    this.memory.countTrust(lane, -1)
    if (lane.speed === 'fast') this.#unprovenInFlight += lane.inFlight
    else if (speed === 'fast') this.#unprovenInFlight -= lane.inFlight
    lane.speed = speed
    this.memory.countTrust(lane, 1)
    this.#queue(lane)
  }

  /** Whether a lane was slow for long and has not caught up. As a fast one it would send its whole backlog at once. */
  #isCatchingUp(lane: Lane): boolean {
    if (lane.speed !== 'slow' || !this.#catchUp.active) return false
    if (this.#clock.monotonic() - lane.slowSince < BEHIND_AFTER_MS) return false
    return lane.waiting > 0 || lane.hasBacklog
  }

  #push(lane: Lane, delivery: LeasedDelivery): void {
    lane.push(delivery)
    this.memory.count(lane, 1, weightOf(delivery))
    this.#queue(lane)
  }

  #countInFlight(lane: Lane, change: 1 | -1): void {
    lane.inFlight += change
    this.#inFlight += change
    if (lane.trust === 'unproven') this.#unprovenInFlight += change
  }

  #noteKeptInStore(lane: Lane): void {
    for (const lanes of [this.#keptInStore, lane.workspace.keptInStore])
      if (lane.keptInStore) lanes.add(lane)
      else lanes.delete(lane)
  }
}
