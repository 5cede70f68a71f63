import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import { Loop } from '../loop.ts'
import { Backlogs } from './backlogs.ts'
import { CLAIM_PER_WEBHOOK, type ClaimSize, ClaimSizes, type Room } from './claimSizes.ts'
import { FullWorkspaces } from './fullWorkspaces.ts'
import type { MemoryBudget } from './memoryBudget.ts'
import type { Proof } from './standings.ts'
import { WebhookSet } from './webhookSet.ts'

/** The safety net: whatever nobody announced is found within this time. Backlogs of slow webhooks are in no more hurry. */
const POLL_EVERY_MS = SECOND_MS
/** What falls due within this time is claimed together: each round looks at every webhook for which something waits. */
const TOGETHER_MS = 50

type Budget = Room &
  Pick<MemoryBudget, 'proofOf' | 'isPrompt' | 'admits' | 'fullWebhooks' | 'partOf' | 'withPart'>
type ClaimResult = Awaited<ReturnType<Storage['claimDue']>>

/**
 * Leases due deliveries from the store: retries whose wait is over, and what had no room in memory. Knows which
 * webhooks have a backlog in the store, so that new deliveries queue up behind it instead of overtaking it for ever.
 * A node's first turn takes a few of each. From then on webhooks are claimed for as soon as they run low. Those that are
 * not known to be prompt have rounds of their own for their backlogs, in which each gets what there is room for; once a
 * second, when that is scarce. A workspace that has much in memory leaves the room to others.
 */
export class Claimer {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #budget: Budget
  readonly #sizes: ClaimSizes
  readonly #nodeId: () => number
  readonly #held: () => boolean
  readonly #onClaimed: (deliveries: readonly LeasedDelivery[]) => void
  readonly #loop: Loop
  readonly #backlogged = new Backlogs()
  readonly #unsendable = new WebhookSet()
  readonly #full: Readonly<Record<Proof, FullWorkspaces>>
  #afterWebhookId = 0
  /** Which node takes these turns, and whether it is at its first. */
  #turnsOf = 0
  #firstTurn = true
  #unprovenAfterWebhookId = 0
  /** When the next round for backlogs of unproven webhooks may begin; monotonic milliseconds. */
  #unprovenAgainAt = Number.NEGATIVE_INFINITY
  /** Claims wait for room. */
  #crampedOut = false

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly failureLog: FailureLog
    readonly budget: Budget
    readonly nodeId: () => number
    /** Whether the node's lease holds. */
    readonly held: () => boolean
    readonly onClaimed: (deliveries: readonly LeasedDelivery[]) => void
  }) {
    this.#storage = params.storage
    this.#clock = params.clock
    this.#budget = params.budget
    this.#sizes = new ClaimSizes(params.budget)
    this.#full = {
      prompt: new FullWorkspaces(params.budget, 'prompt'),
      unproven: new FullWorkspaces(params.budget, 'unproven'),
    }
    this.#nodeId = params.nodeId
    this.#held = params.held
    this.#onClaimed = params.onClaimed
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

  /** The store has made deliveries of these workspaces that are due. */
  deliveriesMade(workspaceIds: readonly number[]): void {
    if (workspaceIds.some((id) => !this.#full.prompt.has(id))) this.wake()
  }

  /**
   * A publish has left due deliveries of these webhooks in the store: for want of room, or because they had a backlog when
   * it began. For the second reason alone this is no backlog: with publishes always in flight, it would never end.
   */
  leftInStore(webhooks: readonly WebhookRef[]): void {
    const news = webhooks.filter(
      ({ webhookId: id }) => !this.#backlogged.has(id) && !this.#unsendable.has(id),
    )
    this.putOff(news.filter((webhook) => !this.#soonHasRoom(webhook)))
    if (news.length > 0) this.#wakeForRoom()
  }

  /** The store holds due deliveries of these webhooks for which there is no room now. */
  putOff(webhooks: readonly WebhookRef[]): void {
    for (const webhook of webhooks) this.#backlogged.add(webhook)
  }

  /** Whether the store holds due deliveries of this webhook, as far as is known here. */
  hasBacklog(webhookId: number): boolean {
    return this.#backlogged.has(webhookId)
  }

  /** A delivery of this webhook has left the memory. */
  roomFreed({ webhookId, workspaceId }: WebhookRef, stillWaiting: number): void {
    const full = this.#full[this.#budget.proofOf(webhookId)]
    const mayClaim = full.has(workspaceId)
      ? full.emptied(workspaceId)
      : this.#runsLow(webhookId, stillWaiting)
    if (this.#crampedOut || mayClaim) this.#wakeForRoom()
  }

  /** This webhook cannot be sent to until it changes. */
  setUnsendable(webhook: WebhookRef): void {
    this.#unsendable.add(webhook)
  }

  /** The webhook may have changed so that it can be sent to. */
  setSendable(webhookId: number): void {
    this.#unsendable.delete(webhookId)
  }

  /** Webhooks of a workspace whose new deliveries are to stay in the store. */
  withheld(workspaceId: number): number[] {
    return [...this.#backlogged.ofWorkspace(workspaceId), ...this.#unsendable.ofWorkspace(workspaceId)]
  }

  async #claim(): Promise<number | null> {
    const nextDueAt = await this.#claimForAll()
    await this.#claimForUnproven()
    return nextDueAt === null ? null : Math.max(TOGETHER_MS, nextDueAt - this.#clock.now())
  }

  /** Whether the next claim will take what was left of this webhook. */
  #soonHasRoom(webhook: WebhookRef): boolean {
    const { webhookId, workspaceId } = webhook
    if (!this.#budget.isPrompt(webhookId) || !this.#budget.admits(webhook)) return false
    // Nothing is claimed for a full workspace, and what it publishes next would overtake this.
    return !this.#full.prompt.has(workspaceId)
  }

  #runsLow(webhookId: number, waiting: number): boolean {
    if (waiting >= CLAIM_PER_WEBHOOK / 2 || !this.#backlogged.has(webhookId)) return false
    return this.#sizes.hasPlentyForUnproven || this.#budget.isPrompt(webhookId)
  }

  /** Claims, once there is room for a claim of full size: into less, many small ones would be made. */
  #wakeForRoom(): void {
    this.#crampedOut = !this.#sizes.hasRoom
    if (!this.#crampedOut) this.wake()
  }

  /** A full turn over all webhooks, or as far as there is room. @returns when the next delivery falls due, Unix ms */
  async #claimForAll(): Promise<number | null> {
    let nextDueAt: number | null = null
    do {
      this.#beginIfNew()
      const withBacklog = this.#withBacklog('prompt').length > 0
      const size = this.#firstTurn ? this.#sizes.first() : this.#sizes.ofPrompt(withBacklog)
      this.#crampedOut = size.limit === 0
      const leftOut = this.#firstTurn ? [] : this.#withBacklog('unproven')
      const result = await this.#take('prompt', size, leftOut, this.#afterWebhookId)
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

  #withBacklog(proof: Proof): number[] {
    return this.#backlogged.webhookIds.filter((webhookId) => this.#budget.proofOf(webhookId) === proof)
  }

  /** When room is scarce, once a second at most; and from where it last had to stop, so that all have their turn. */
  async #claimForUnproven(): Promise<void> {
    if (this.#withBacklog('unproven').length === 0) return
    const now = this.#clock.monotonic()
    if (!this.#sizes.hasPlentyForUnproven) {
      if (now < this.#unprovenAgainAt) return
      this.#unprovenAgainAt = now + POLL_EVERY_MS
    }
    do {
      const leftOut = this.#withBacklog('prompt')
      const size = this.#sizes.ofUnproven()
      const result = await this.#take('unproven', size, leftOut, this.#unprovenAfterWebhookId)
      if (result === null) return
      this.#unprovenAfterWebhookId = result.nextAfterWebhookId
    } while (this.#unprovenAfterWebhookId !== 0)
  }

  /** @returns `null` when nothing may be claimed now */
  async #take(
    proof: Proof,
    { limit, perWebhook }: ClaimSize,
    leftOut: readonly number[],
    afterWebhookId: number,
  ): Promise<ClaimResult | null> {
    if (limit === 0 || !this.#held()) return null
    const nodeId = this.#nodeId()
    const full = this.#budget.fullWebhooks(Math.min(perWebhook, CLAIM_PER_WEBHOOK))
    const except = new Set([...this.#unsendable.webhookIds, ...full, ...leftOut])
    this.#backlogged.claimBegins()
    const result = await this.#storage.claimDue({
      nodeId,
      now: this.#clock.now(),
      limit,
      perWebhook,
      except: [...except],
      exceptWorkspaces: this.#full[proof].look(),
      afterWebhookId,
    })
    const last = result.nextAfterWebhookId === 0 ? Number.POSITIVE_INFINITY : result.nextAfterWebhookId
    const wasLookedAt = (id: number) => afterWebhookId < id && id <= last && !except.has(id)
    this.#backlogged.caughtUp(wasLookedAt)
    this.putOff(result.more)
    this.#sizes.weigh(result.deliveries)
    // Under a lease that was lost meanwhile, they are for others to attempt.
    if (nodeId === this.#nodeId()) this.#onClaimed(result.deliveries)
    return result
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
