import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'
import { Loop } from './loop.ts'
import type { MemoryBudget } from './memoryBudget.ts'
import type { Troubles } from './troubles.ts'

/** The safety net: whatever nobody announced is found within this time. */
const POLL_EVERY_MS = SECOND_MS
const CLAIM_AT_ONCE = 500
/** More would let one webhook fill the memory; fewer would make its sender wait for the store. */
export const CLAIM_PER_WEBHOOK = 64

/**
 * Leases due deliveries from the store: retries whose wait is over, and what had no room in memory. Knows which
 * webhooks have a backlog in the store, so that new deliveries queue up behind it instead of overtaking it for ever.
 */
export class Claimer {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #budget: Pick<MemoryBudget, 'room' | 'fullWebhooks'>
  readonly #nodeId: () => number
  readonly #held: () => boolean
  readonly #onClaimed: (deliveries: readonly LeasedDelivery[]) => void
  readonly #loop: Loop
  readonly #backlogged = new Set<number>()
  readonly #unsendable = new Set<number>()
  #afterWebhookId = 0
  /** The last round ended for lack of room. */
  #crampedOut = false

  constructor(params: {
    readonly storage: Storage
    readonly clock: Clock
    readonly troubles: Troubles
    readonly budget: Pick<MemoryBudget, 'room' | 'fullWebhooks'>
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
    this.#loop.wake(at === undefined ? 0 : Math.max(0, at - this.#clock.now()))
  }

  /** The store holds due deliveries of these webhooks that no node has. */
  addBacklog(webhookIds: readonly number[]): void {
    for (const id of webhookIds) this.#backlogged.add(id)
    if (webhookIds.length > 0 && this.#budget.room > 0) this.wake()
  }

  /** A delivery of this webhook has left the memory. */
  roomFreed(webhookId: number, stillWaiting: number): void {
    const runsLow = stillWaiting < CLAIM_PER_WEBHOOK / 2 && this.#backlogged.has(webhookId)
    if (runsLow || (this.#crampedOut && this.#budget.room >= CLAIM_AT_ONCE)) this.wake()
  }

  /** This webhook cannot be sent to until it changes. */
  setUnsendable(webhookId: number, unsendable: boolean): void {
    if (unsendable) this.#unsendable.add(webhookId)
    else this.#unsendable.delete(webhookId)
  }

  /** Webhooks whose new deliveries are to stay in the store. */
  withheld(): number[] {
    return [...this.#backlogged, ...this.#unsendable]
  }

  async #claim(): Promise<number | null> {
    let nextDueAt: number | null = null
    // A full turn over all webhooks, or as far as there is room.
    do {
      const limit = Math.min(CLAIM_AT_ONCE, this.#budget.room)
      this.#crampedOut = limit <= 0
      if (limit <= 0 || !this.#held()) return null
      const nodeId = this.#nodeId()
      const result = await this.#storage.claimDue({
        nodeId,
        now: this.#clock.now(),
        limit,
        perWebhook: CLAIM_PER_WEBHOOK,
        except: [...this.#unsendable, ...this.#budget.fullWebhooks(CLAIM_PER_WEBHOOK)],
        afterWebhookId: this.#afterWebhookId,
      })
      for (const { webhookId } of result.deliveries) this.#backlogged.delete(webhookId)
      for (const webhookId of result.more) this.#backlogged.add(webhookId)
      this.#afterWebhookId = result.nextAfterWebhookId
      nextDueAt = earlier(nextDueAt, result.nextDueAt)
      // Under a lease that was lost meanwhile, they are for others to attempt.
      if (nodeId === this.#nodeId()) this.#onClaimed(result.deliveries)
    } while (this.#afterWebhookId !== 0)
    return nextDueAt === null ? null : Math.max(0, nextDueAt - this.#clock.now())
  }
}

function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
