import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Tx } from './transaction.ts'

/** What this node must know of a delivery that it holds. */
export interface Held {
  readonly nodeId: number
  readonly lease: number
  readonly createdAt: number
}

/**
 * A commit that was sent on a connection which then fell silent may still arrive, as long as the server keeps its
 * transaction open; it does so for much less than this.
 */
const DOUBT_MS = 60 * SECOND_MS
const IDS_PER_BLOCK = 1_000

const sql = {
  takeBlock: `SELECT nextval('lease_blocks') AS block`,
}

/**
 * The deliveries leased to this node, with the lease of each: the token without which nothing is recorded for them.
 * The database knows which deliveries a lease covers; only the node that holds it knows where in time they are.
 */
export class HeldDeliveries {
  readonly #held = new Map<number, Held>()
  /** Deliveries that are left of each lease. */
  readonly #open = new Map<number, number>()
  /** Leases that may have been made though nobody heard of it, and until when they may still turn up. */
  readonly #doubtful = new Map<number, number>()
  readonly #clock: Clock
  #nextLease = 0
  #endOfBlock = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(deliveryId: number, nodeId: number): Held | undefined {
    const held = this.#held.get(deliveryId)
    return held?.nodeId === nodeId ? held : undefined
  }

  /** @returns an id for a lease, which must be known before its transaction ends: see {@link doubt}. */
  async newLease(tx: Tx): Promise<number> {
    if (this.#nextLease === this.#endOfBlock) {
      const { block } = (await tx.row<{ block: number }>(sql.takeBlock))!
      // Another call may have fetched one meanwhile; the rest of that one is never used.
      this.#nextLease = block * IDS_PER_BLOCK
      this.#endOfBlock = this.#nextLease + IDS_PER_BLOCK
    }
    return this.#nextLease++
  }

  add(
    deliveries: readonly { readonly id: number; readonly createdAt: number }[],
    nodeId: number,
    lease: number,
  ): void {
    if (deliveries.length === 0) return
    for (const { id, createdAt } of deliveries) {
      this.#drop(id)
      this.#held.set(id, { nodeId, lease, createdAt })
    }
    this.#open.set(lease, deliveries.length)
  }

  /** These are recorded, given back or lost to this node. */
  remove(deliveryIds: Iterable<number>, nodeId: number): void {
    for (const id of deliveryIds) if (this.#held.get(id)?.nodeId === nodeId) this.#drop(id)
  }

  #drop(deliveryId: number): void {
    const held = this.#held.get(deliveryId)
    if (held === undefined) return
    this.#held.delete(deliveryId)
    const left = this.#open.get(held.lease)! - 1
    if (left > 0) this.#open.set(held.lease, left)
    else this.#open.delete(held.lease)
  }

  /** Leases of which nothing would be left without these deliveries: a hint of which rows may go. */
  emptiedWithout(deliveryIds: Iterable<number>, nodeId: number): number[] {
    const removed = new Map<number, number>()
    for (const id of deliveryIds) {
      const lease = this.get(id, nodeId)?.lease
      if (lease !== undefined) removed.set(lease, (removed.get(lease) ?? 0) + 1)
    }
    return [...removed].filter(([lease, count]) => this.#open.get(lease) === count).map(([lease]) => lease)
  }

  /** A node of this process is no more. */
  forgetNode(nodeId: number): void {
    this.remove([...this.#held.keys()], nodeId)
  }

  /** Nobody can tell whether this lease was made: should it exist, nothing of it is in anybody's memory. */
  doubt(lease: number): void {
    this.#doubtful.set(lease, this.#clock.monotonic() + DOUBT_MS)
  }

  /** Leases to look for and free. */
  get doubtful(): readonly number[] {
    return [...this.#doubtful.keys()]
  }

  /** These were looked for: what has had its time is looked for no more. */
  lookedFor(leases: Iterable<number>): void {
    const now = this.#clock.monotonic()
    for (const lease of leases) if (this.#doubtful.get(lease)! <= now) this.#doubtful.delete(lease)
  }
}
