import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'
import {
  CLAIM_PER_LANE,
  type ClaimSize,
  claimSize,
  hasPlentyForUnproven,
  hasRoomForClaim,
  type Trust,
} from './admission.ts'
import { type Lane, weightOf } from './lane.ts'
import type { Lanes } from './lanes.ts'
import type { Lease } from './lease.ts'
import type { Releaser } from './releaser.ts'

/** Due deliveries that were not announced are found within this time. Backlogs of slow receivers need no shorter one. */
const POLL_EVERY_MS = SECOND_MS
/** Deliveries that fall due within this time are claimed together: each round checks every webhook with pending deliveries. */
const TOGETHER_MS = 50

type ClaimResult = Awaited<ReturnType<Storage['sending']['claimDue']>>

/** A walk over all webhooks in the order of their ids, in several calls. */
interface Round {
  /** Lanes with a backlog take part only if they are of this trust. */
  readonly trust: Trust
  /** The next call begins after this webhook; 0: with the first one. */
  afterWebhookId: number
}

/**
 * Leases due deliveries from the store into lanes: retries whose wait is over, and deliveries that had no room in memory.
 *
 * A node's first round takes a few deliveries of each webhook. After that, lanes are claimed for as soon as they run low.
 * Backlogs of unproven lanes have rounds of their own, which are at least a second apart when room is scarce.
 */
export class Claimer {
  readonly #storage: Storage['sending']
  readonly #clock: Clock
  readonly #lanes: Lanes
  readonly #releaser: Pick<Releaser, 'add'>
  readonly #lease: Lease
  readonly #loop: Loop
  readonly #rounds: Readonly<Record<Trust, Round>> = {
    fast: { trust: 'fast', afterWebhookId: 0 },
    unproven: { trust: 'unproven', afterWebhookId: 0 },
  }
  /** The id under which the node claimed last. */
  #nodeId = 0
  /** Whether the first round under this id is not over. */
  #firstRound = true
  /** When the next round for unproven lanes may begin; monotonic milliseconds. */
  #unprovenAgainAt = Number.NEGATIVE_INFINITY
  /** Whether claims wait for room. */
  #waitsForRoom = false
  /** Of a delivery, in recent claims. */
  #usualWeight = 1

  constructor(params: {
    readonly storage: Storage['sending']
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly lanes: Lanes
    readonly releaser: Pick<Releaser, 'add'>
    readonly lease: Lease
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#lanes = params.lanes
    this.#releaser = params.releaser
    this.#lease = params.lease
    this.#loop = new Loop({
      name: 'claim of due deliveries',
      clock: params.clock,
      failureLog: params.failureLog,
      intervalMs: POLL_EVERY_MS,
      work: () => this.#claim(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Something may be due in the store at `at` (Unix ms; now, if left out). */
  wake(at?: number): void {
    const inMs = at === undefined ? 0 : at - this.#clock.now()
    this.#loop.wake(inMs <= 0 ? 0 : Math.max(inMs, TOGETHER_MS))
  }

  /** The store has created due deliveries of these workspaces. */
  deliveriesCreated(workspaceIds: readonly number[]): void {
    if (workspaceIds.some((id) => !this.#lanes.memory.isFull(id, 'fast'))) this.wake()
  }

  /**
   * A publish has left due deliveries of these webhooks in the store: there was no room, or they had a backlog when it began.
   * A fast lane whose backlog has ended and that has room gets no new one: with publishes always in flight, it would never end.
   */
  noteBacklog(webhooks: readonly WebhookRef[]): void {
    const now = this.#clock.monotonic()
    const lanes = webhooks
      .map((webhook) => this.#lanes.of(webhook))
      .filter((lane) => !lane.keptInStore && lane.elsewhereUntil <= now)
    for (const lane of lanes) if (!this.#soonHasRoom(lane)) this.#lanes.noteBacklog(lane)
    if (lanes.length > 0) this.#wakeForRoom()
  }

  /** A delivery of this lane has left the memory. */
  roomFreed(lane: Lane): void {
    const { workspace, trust } = lane
    const mayClaim = workspace.full[trust]
      ? this.#lanes.memory.hasRoomAgain(workspace, trust)
      : this.#runsLow(lane)
    if (this.#waitsForRoom || mayClaim) this.#wakeForRoom()
  }

  /** Releases deliveries that left the lane without an attempt. */
  release(lane: Lane, deliveries: readonly LeasedDelivery[]): void {
    if (deliveries.length === 0) return
    this.#releaser.add(deliveries)
    this.roomFreed(lane)
  }

  async #claim(): Promise<number | null> {
    await this.#releaseLimits()
    const nextDueAt = await this.#walk(this.#rounds.fast)
    if (this.#mayClaimForUnproven()) await this.#walk(this.#rounds.unproven)
    return nextDueAt === null ? null : Math.max(TOGETHER_MS, nextDueAt - this.#clock.now())
  }

  /** Stops claims in the meantime, so that nothing is leased to this node under a limit that it releases. */
  async #releaseLimits(): Promise<void> {
    const lanes = this.#lanes.rateLimits.unusable(this.#lanes.keptInStore(), this.#lanes.held)
    if (lanes.length === 0) return
    const webhookIds = lanes.map(({ webhookId }) => webhookId)
    await this.#storage.releaseLimits({ nodeId: this.#lease.nodeId, webhookIds })
    this.#lanes.rateLimits.forgetLimits(lanes)
  }

  /** Whether the next claim will take the deliveries that this lane left in the store. */
  #soonHasRoom(lane: Lane): boolean {
    // Nothing is claimed for a full workspace, and what it publishes next would overtake this.
    return lane.speed === 'fast' && this.#lanes.memory.roomIn(lane) > 0 && !lane.workspace.full.fast
  }

  #runsLow(lane: Lane): boolean {
    if (lane.limiter?.limited) return lane.hasBacklog && lane.limiter.runsLow(lane.waiting)
    if (lane.waiting >= CLAIM_PER_LANE / 2 || !lane.hasBacklog) return false
    return lane.speed === 'fast' || hasPlentyForUnproven(this.#lanes.memory.totals)
  }

  /** Claims if there is room for a claim of full size; otherwise waits for it, instead of making many small claims. */
  #wakeForRoom(): void {
    this.#waitsForRoom = !hasRoomForClaim(this.#lanes.memory.totals)
    if (!this.#waitsForRoom) this.wake()
  }

  /** At most once a second when room is scarce. */
  #mayClaimForUnproven(): boolean {
    if (!this.#isAnyBehind('unproven')) return false
    if (hasPlentyForUnproven(this.#lanes.memory.totals)) return true
    const now = this.#clock.monotonic()
    if (now < this.#unprovenAgainAt) return false
    this.#unprovenAgainAt = now + POLL_EVERY_MS
    return true
  }

  /** Continues where it last stopped, so that each webhook has its turn. @returns when the next delivery falls due, Unix ms */
  async #walk(round: Round): Promise<number | null> {
    let nextDueAt: number | null = null
    do {
      const result = await this.#call(round)
      if (result === null) return null
      round.afterWebhookId = result.nextAfterWebhookId
      if (round.trust === 'fast' && round.afterWebhookId === 0) this.#firstRound = false
      nextDueAt = earlier(nextDueAt, result.nextDueAt)
    } while (round.afterWebhookId !== 0)
    return nextDueAt
  }

  /** @returns `null` when nothing may be claimed now */
  async #call(round: Round): Promise<ClaimResult | null> {
    this.#beginIfNew()
    const { nodeId, valid } = this.#lease
    const { limit, perWebhook } = this.#sizeOf(round)
    if (limit === 0 || !valid || this.#lanes.held) return null
    const { afterWebhookId, trust } = round
    const except = this.#leftOutOf(round, perWebhook)
    this.#lanes.claimBegins()
    const result = await this.#storage.claimDue({
      nodeId,
      now: this.#clock.now(),
      limit,
      perWebhook,
      except: [...except],
      exceptWorkspaces: this.#lanes.memory.fullWorkspaces(trust),
      afterWebhookId,
    })
    const last = result.nextAfterWebhookId === 0 ? Number.POSITIVE_INFINITY : result.nextAfterWebhookId
    this.#lanes.caughtUp(({ webhookId: id }) => afterWebhookId < id && id <= last && !except.has(id))
    for (const webhook of result.more) this.#lanes.noteBacklog(this.#lanes.of(webhook))
    const elsewhereUntil = this.#clock.monotonic() + POLL_EVERY_MS
    for (const webhook of result.elsewhere) this.#lanes.of(webhook).elsewhereUntil = elsewhereUntil
    this.#learnWeight(result.deliveries)
    // If the lease was lost meanwhile, other nodes attempt them.
    if (nodeId === this.#lease.nodeId) this.#releaser.add(this.#lanes.add(result.deliveries, 'claim'))
    return result
  }

  /** Under a new id the node has nothing in memory, so it begins with a first round, as after its start. */
  #beginIfNew(): void {
    if (this.#lease.nodeId === this.#nodeId) return
    this.#nodeId = this.#lease.nodeId
    this.#firstRound = true
    this.#rounds.fast.afterWebhookId = 0
  }

  #sizeOf({ trust }: Round): ClaimSize {
    const kind = trust === 'fast' && this.#firstRound ? 'first' : trust
    const withBacklog = trust === 'fast' && this.#isAnyBehind('fast')
    const size = claimSize(kind, this.#lanes.memory.totals, this.#usualWeight, withBacklog)
    if (trust === 'fast') this.#waitsForRoom = size.limit === 0
    return size
  }

  /** Webhooks that cannot be sent to, have enough in memory, or are for the other round. */
  #leftOutOf({ trust }: Round, perWebhook: number): Set<number> {
    const except = new Set<number>()
    for (const lane of this.#lanes.keptInStore()) {
      const ofOtherRound = lane.hasBacklog && lane.trust !== trust && !(trust === 'fast' && this.#firstRound)
      if (lane.closed || ofOtherRound) except.add(lane.webhookId)
    }
    for (const { webhookId } of this.#lanes.memory.withEnough(Math.min(perWebhook, CLAIM_PER_LANE)))
      except.add(webhookId)
    return except
  }

  /** Whether the store holds due deliveries of any lane of this trust. */
  #isAnyBehind(trust: Trust): boolean {
    for (const lane of this.#lanes.keptInStore()) if (lane.hasBacklog && lane.trust === trust) return true
    return false
  }

  /** Rises at once and falls slowly: deliveries that are heavier than expected would not fit. */
  #learnWeight(deliveries: readonly LeasedDelivery[]): void {
    if (deliveries.length === 0) return
    const mean = deliveries.reduce((sum, delivery) => sum + weightOf(delivery), 0) / deliveries.length
    this.#usualWeight = Math.max(mean, (this.#usualWeight + mean) / 2)
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
