import type { LeasedDelivery } from '../../storage/rows.ts'
import { weightOf } from './line.ts'
import type { MemoryBudget } from './memoryBudget.ts'

const CLAIM_AT_ONCE = 500
/** Claimed for each webhook at once. Fewer would make the sender wait for the store. */
export const CLAIM_PER_WEBHOOK = 64
/** Likewise of prompt ones with a backlog, as far as they may have it in memory. More would keep what others publish meanwhile waiting: the embedded store takes some 10 µs for each. */
const MOST_PER_WEBHOOK = 128
/** Claimed for each in a node's first turn, so that it soon has something of every webhook: most of more would find no room. */
const FEW_PER_WEBHOOK = 4
/** What may wait for an unproven webhook as long as there is plenty of room: more than it can have by claims. */
const PLENTY = 2 * CLAIM_PER_WEBHOOK
/** Claimed for an unproven webhook, when room is scarce, as a part of what may wait for it: that sinks while others are claimed for. */
const PART_OF_LIMIT = 1 / 4

export type Room = Pick<MemoryBudget, 'claimRoom' | 'promptLimit' | 'unprovenRoom' | 'unprovenLimit'>

/** In deliveries. */
export interface ClaimSize {
  /** 0: there is no room. */
  readonly limit: number
  readonly perWebhook: number
}

/** How much to claim, so that what is claimed finds room in memory. */
export class ClaimSizes {
  readonly #budget: Room
  /** Of a delivery, as the claims of late were. */
  #usualWeight = 1

  constructor(budget: Room) {
    this.#budget = budget
  }

  /** Whether there is so much room that a claim need not be a small one. */
  get hasRoom(): boolean {
    return this.#budget.claimRoom >= CLAIM_AT_ONCE
  }

  /** Whether unproven webhooks are as free to have deliveries in memory as prompt ones. */
  get hasPlentyForUnproven(): boolean {
    return this.#budget.unprovenLimit >= PLENTY
  }

  /** In a node's first turn. */
  first(): ClaimSize {
    return { limit: this.#limit(this.#budget.claimRoom), perWebhook: this.#unprovenShare(FEW_PER_WEBHOOK) }
  }

  /** @param withBacklog whether any of the prompt webhooks has one */
  ofPrompt(withBacklog: boolean): ClaimSize {
    const { claimRoom, promptLimit } = this.#budget
    const most = withBacklog ? Math.min(MOST_PER_WEBHOOK, this.#fitting(promptLimit)) : CLAIM_PER_WEBHOOK
    return { limit: this.#limit(claimRoom), perWebhook: Math.max(CLAIM_PER_WEBHOOK, most) }
  }

  /** Each gets one at least, and something is left for the others. */
  ofUnproven(): ClaimSize {
    const { unprovenRoom } = this.#budget
    const perWebhook = this.#unprovenShare(CLAIM_PER_WEBHOOK)
    // Halves of what little is left would make many small calls.
    return { limit: this.#limit(perWebhook === 1 ? unprovenRoom : unprovenRoom / 2), perWebhook }
  }

  /** Believes at once that deliveries are heavy, and little by little that they are not: too many would not fit. */
  weigh(deliveries: readonly LeasedDelivery[]): void {
    if (deliveries.length === 0) return
    const mean = deliveries.reduce((sum, delivery) => sum + weightOf(delivery), 0) / deliveries.length
    this.#usualWeight = Math.max(mean, (this.#usualWeight + mean) / 2)
  }

  #limit(room: number): number {
    return Math.min(CLAIM_AT_ONCE, this.#fitting(room))
  }

  #unprovenShare(most: number): number {
    return Math.min(most, Math.max(1, this.#fitting(this.#budget.unprovenLimit * PART_OF_LIMIT)))
  }

  /** How many deliveries have this weight, one at least, if they are like those claimed lately. */
  #fitting(weight: number): number {
    return weight <= 0 ? 0 : Math.max(1, Math.floor(weight / this.#usualWeight))
  }
}
