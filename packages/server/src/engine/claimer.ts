import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { Backlogs } from './backlogs.ts'
import { weightOf } from './line.ts'
import { Loop } from './loop.ts'
import type { MemoryBudget } from './memoryBudget.ts'
import type { Troubles } from './troubles.ts'

/** The safety net: whatever nobody announced is found within this time. Backlogs of slow webhooks are in no more hurry. */
const POLL_EVERY_MS = SECOND_MS
/** What falls due within this time is claimed together: each round looks at every webhook for which something waits. */
const TOGETHER_MS = 50
const CLAIM_AT_ONCE = 500
/** Claimed for each webhook; of prompt ones with a backlog up to what they may have. Fewer would make the sender wait for the store. */
export const CLAIM_PER_WEBHOOK = 64
/** Claimed for each in a node's first turn, so that it soon has something of every webhook: most of more would find no room. */
const FEW_PER_WEBHOOK = 4
/** What may wait for an unproven webhook as long as there is plenty of room: more than it can have by claims. */
const PLENTY = 2 * CLAIM_PER_WEBHOOK
/** Claimed for an unproven webhook, when room is scarce, as a part of what may wait for it: that sinks while others are claimed for. */
const PART_OF_LIMIT = 1 / 4

type Budget = Pick<
  MemoryBudget,
  'claimRoom' | 'promptLimit' | 'unprovenRoom' | 'unprovenLimit' | 'isPrompt' | 'admits' | 'fullWebhooks'
>
type ClaimResult = Awaited<ReturnType<Storage['claimDue']>>

/**
 * Leases due deliveries from the store: retries whose wait is over, and what had no room in memory. Knows which
 * webhooks have a backlog in the store, so that new deliveries queue up behind it instead of overtaking it for ever.
 * A node's first turn takes a few of each. From then on webhooks are claimed for as soon as they run low. Those that are
 * not known to be prompt have rounds of their own for their backlogs, in which each gets what there is room for; once a
 * second, when that is scarce.
 */
export class Claimer {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #budget: Budget
  readonly #nodeId: () => number
  readonly #held: () => boolean
  readonly #onClaimed: (deliveries: readonly LeasedDelivery[]) => void
  readonly #loop: Loop
  readonly #backlogged = new Backlogs()
  readonly #unsendable = new Set<number>()
  #afterWebhookId = 0
  /** Which node takes these turns, and whether it is at its first. */
  #turnsOf = 0
  #firstTurn = true
  #unprovenAfterWebhookId = 0
  /** When the next round for backlogs of unproven webhooks may begin; monotonic milliseconds. */
  #unprovenAgainAt = Number.NEGATIVE_INFINITY
  /** Claims wait for room. */
  #crampedOut = false
  /** Of a delivery, as the claims of late were. */
  #usualWeight = 1

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly troubles: Troubles
    readonly budget: Budget
    readonly nodeId: () => number
    /** Whether the node's lease holds. */
    readonly held: () => boolean
    readonly onClaimed: (deliveries: readonly LeasedDelivery[]) => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#budget = params.budget
    this.#nodeId = params.nodeId
    this.#held = params.held
    this.#onClaimed = params.onClaimed
    this.#loop = new Loop({
      name: 'claim of due deliveries',
      clock: params.clock,
      troubles: params.troubles,
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

  /**
   * A publish has left due deliveries of these webhooks in the store: for want of room, or because they had a backlog when
   * it began. Since there are always publishes under way, a webhook would never be without a backlog again if that were one.
   */
  leftInStore(webhookIds: readonly number[]): void {
    const news = webhookIds.filter((id) => !this.#backlogged.has(id) && !this.#unsendable.has(id))
    this.putOff(news.filter((id) => !this.#budget.isPrompt(id) || !this.#budget.admits(id)))
    if (news.length > 0) this.#wakeForRoom()
  }

  /** The store holds due deliveries of these webhooks for which there is no room now. */
  putOff(webhookIds: readonly number[]): void {
    for (const id of webhookIds) this.#backlogged.add(id)
  }

  /** Whether the store holds due deliveries of this webhook, as far as is known here. */
  hasBacklog(webhookId: number): boolean {
    return this.#backlogged.has(webhookId)
  }

  /** A delivery of this webhook has left the memory. */
  roomFreed(webhookId: number, stillWaiting: number): void {
    if (this.#crampedOut || this.#runsLow(webhookId, stillWaiting)) this.#wakeForRoom()
  }

  /** This webhook cannot be sent to until it changes. */
  setUnsendable(webhookId: number, unsendable: boolean): void {
    if (unsendable) this.#unsendable.add(webhookId)
    else this.#unsendable.delete(webhookId)
  }

  /** Webhooks whose new deliveries are to stay in the store. */
  withheld(): number[] {
    return [...this.#backlogged.webhookIds, ...this.#unsendable]
  }

  async #claim(): Promise<number | null> {
    const nextDueAt = await this.#claimForAll()
    await this.#claimForUnproven()
    return nextDueAt === null ? null : Math.max(TOGETHER_MS, nextDueAt - this.#clock.now())
  }

  #runsLow(webhookId: number, waiting: number): boolean {
    if (waiting >= CLAIM_PER_WEBHOOK / 2 || !this.#backlogged.has(webhookId)) return false
    return this.#hasPlenty() || this.#budget.isPrompt(webhookId)
  }

  /** Claims, if there is some room; if not, as soon as there is: for what little is free there would be many small claims. */
  #wakeForRoom(): void {
    this.#crampedOut = this.#budget.claimRoom < CLAIM_AT_ONCE
    if (!this.#crampedOut) this.wake()
  }

  #hasPlenty(): boolean {
    return this.#budget.unprovenLimit >= PLENTY
  }

  /** A full turn over all webhooks, or as far as there is room. @returns when the next delivery falls due, Unix ms */
  async #claimForAll(): Promise<number | null> {
    let nextDueAt: number | null = null
    do {
      this.#beginIfNew()
      const limit = Math.min(CLAIM_AT_ONCE, this.#fitting(this.#budget.claimRoom))
      this.#crampedOut = limit <= 0
      const perWebhook = this.#firstTurn ? this.#unprovenShare(FEW_PER_WEBHOOK) : this.#promptShare()
      const leftOut = this.#firstTurn ? [] : this.#withBacklog('unproven')
      const afterWebhookId = this.#afterWebhookId
      const result = await this.#take({ limit, perWebhook, leftOut, afterWebhookId })
      if (result === null) return null
      this.#afterWebhookId = result.nextAfterWebhookId
      this.#firstTurn &&= this.#afterWebhookId !== 0
      nextDueAt = earlier(nextDueAt, result.nextDueAt)
    } while (this.#afterWebhookId !== 0)
    return nextDueAt
  }

  /** Under a new id a node has nothing in memory: it goes over all webhooks as after its start. */
  #beginIfNew(): void {
    const nodeId = this.#nodeId()
    if (nodeId === this.#turnsOf) return
    this.#turnsOf = nodeId
    this.#firstTurn = true
    this.#afterWebhookId = 0
  }

  /** How many to claim for each unproven webhook, one at least, so that something is left for the others. */
  #unprovenShare(most: number): number {
    return Math.min(most, Math.max(1, this.#fitting(this.#budget.unprovenLimit * PART_OF_LIMIT)))
  }

  /** How many to claim for each webhook when those that are not prompt and have a backlog are left out. */
  #promptShare(): number {
    if (this.#withBacklog('prompt').length === 0) return CLAIM_PER_WEBHOOK
    const { promptLimit } = this.#budget
    return Math.min(CLAIM_AT_ONCE, Math.max(CLAIM_PER_WEBHOOK, this.#fitting(promptLimit)))
  }

  /** How many deliveries have this weight, one at least, if they are like those claimed lately. */
  #fitting(weight: number): number {
    return weight <= 0 ? 0 : Math.max(1, Math.floor(weight / this.#usualWeight))
  }

  #withBacklog(kind: 'prompt' | 'unproven'): number[] {
    return this.#backlogged.webhookIds.filter(
      (webhookId) => this.#budget.isPrompt(webhookId) === (kind === 'prompt'),
    )
  }

  /** When room is scarce, once a second at most; and from where it last had to stop, so that all have their turn. */
  async #claimForUnproven(): Promise<void> {
    if (this.#withBacklog('unproven').length === 0) return
    const now = this.#clock.monotonic()
    if (!this.#hasPlenty()) {
      if (now < this.#unprovenAgainAt) return
      this.#unprovenAgainAt = now + POLL_EVERY_MS
    }
    do {
      const { unprovenRoom } = this.#budget
      const perWebhook = this.#unprovenShare(CLAIM_PER_WEBHOOK)
      // Halves of what little is left would make many small calls.
      const room = this.#fitting(perWebhook === 1 ? unprovenRoom : unprovenRoom / 2)
      const limit = Math.min(CLAIM_AT_ONCE, room)
      const leftOut = this.#withBacklog('prompt')
      const afterWebhookId = this.#unprovenAfterWebhookId
      const result = await this.#take({ limit, perWebhook, leftOut, afterWebhookId })
      if (result === null) return
      this.#unprovenAfterWebhookId = result.nextAfterWebhookId
    } while (this.#unprovenAfterWebhookId !== 0)
  }

  /** @returns `null` when nothing may be claimed now */
  async #take(params: {
    readonly limit: number
    readonly perWebhook: number
    readonly leftOut: readonly number[]
    readonly afterWebhookId: number
  }): Promise<ClaimResult | null> {
    const { limit, perWebhook, leftOut, afterWebhookId } = params
    if (limit <= 0 || !this.#held()) return null
    const nodeId = this.#nodeId()
    const except = new Set([...this.#unsendable, ...this.#budget.fullWebhooks(perWebhook), ...leftOut])
    this.#backlogged.claimBegins()
    const result = await this.#storage.claimDue({
      nodeId,
      now: this.#clock.now(),
      limit,
      perWebhook,
      except: [...except],
      afterWebhookId,
    })
    const last = result.nextAfterWebhookId === 0 ? Number.POSITIVE_INFINITY : result.nextAfterWebhookId
    const wasLookedAt = (id: number) => afterWebhookId < id && id <= last && !except.has(id)
    this.#backlogged.caughtUp(wasLookedAt)
    for (const webhookId of result.more) this.#backlogged.add(webhookId)
    this.#weigh(result.deliveries)
    // Under a lease that was lost meanwhile, they are for others to attempt.
    if (nodeId === this.#nodeId()) this.#onClaimed(result.deliveries)
    return result
  }

  /** Believes at once that deliveries are heavy, and little by little that they are not: too many would not fit. */
  #weigh(deliveries: readonly LeasedDelivery[]): void {
    if (deliveries.length === 0) return
    const mean = deliveries.reduce((sum, delivery) => sum + weightOf(delivery), 0) / deliveries.length
    this.#usualWeight = Math.max(mean, (this.#usualWeight + mean) / 2)
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
