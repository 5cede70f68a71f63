import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Tx } from './transaction.ts'

/** What this node must know of a delivery that it holds. */
export interface Held {
  readonly nodeId: number
  readonly lease: number
  readonly createdAt: number
  /** Made before this lease. */
  readonly attempts: number
}

/**
 * A commit that was sent on a connection which then fell silent may still arrive, as long as the server keeps its
 * transaction open; it does so for much less than this.
 */
const DOUBT_MS = 60 * SECOND_MS
/** A delivery, and the lease of it that came to its end. */
export interface Ended {
  readonly id: number
  readonly lease: number
}

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
  /** Leases that were asked to be given back, by delivery, until that is known to have happened. */
  readonly #givingBack = new Map<number, number>()
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
    deliveries: readonly { readonly id: number; readonly createdAt: number; readonly attempts: number }[],
    nodeId: number,
    lease: number,
  ): void {
    if (deliveries.length === 0) return
    for (const { id, createdAt, attempts } of deliveries) {
      this.#drop(id)
      this.#held.set(id, { nodeId, lease, createdAt, attempts })
    }
    this.#open.set(lease, deliveries.length)
  }

  /** These leases of these deliveries are no more; one that was taken anew meanwhile stays. */
  remove(ended: Iterable<Ended>): void {
    for (const { id, lease } of ended) {
      if (this.#held.get(id)?.lease === lease) this.#drop(id)
      if (this.#givingBack.get(id) === lease) this.#givingBack.delete(id)
    }
  }

  /**
   * What of these the node holds, for giving it back. Whoever could not be told whether that succeeded asks again; should
   * the node have taken a delivery anew meanwhile, then it had succeeded, and the new lease is not meant.
   */
  toGiveBack(deliveryIds: Iterable<number>, nodeId: number): (Held & Ended)[] {
    const mine: (Held & Ended)[] = []
    for (const id of deliveryIds) {
      const held = this.get(id, nodeId)
      if (held === undefined) continue
      const asked = this.#givingBack.get(id)
      if (asked !== undefined && asked !== held.lease) {
        this.#givingBack.delete(id)
        continue
      }
      this.#givingBack.set(id, held.lease)
      mine.push({ id, ...held })
    }
    return mine
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
  emptiedWithout(ended: Iterable<Ended>): number[] {
    const removed = new Map<number, number>()
    for (const { id, lease } of ended) {
      if (this.#held.get(id)?.lease === lease) removed.set(lease, (removed.get(lease) ?? 0) + 1)
    }
    return [...removed].filter(([lease, count]) => this.#open.get(lease) === count).map(([lease]) => lease)
  }

  /** A node of this process is no more. */
  forgetNode(nodeId: number): void {
    for (const [id, held] of [...this.#held])
      if (held.nodeId === nodeId) this.remove([{ id, lease: held.lease }])
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
