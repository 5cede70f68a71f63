import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Tx } from './transaction.ts'

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
 * Ids for the leases that this process takes, each for all that one call takes: the token without which nothing is
 * recorded for a delivery. They are known before their transaction ends, for its answer may get lost: then a lease may
 * exist of which nobody has heard.
 */
export class LeaseIds {
  /** Leases that may have been made though nobody heard of it, and until when they may still turn up. */
  readonly #doubtful = new Map<number, number>()
  readonly #clock: Clock
  #next = 0
  #endOfBlock = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async next(tx: Tx): Promise<number> {
    if (this.#next === this.#endOfBlock) {
      const { block } = (await tx.row<{ block: number }>(sql.takeBlock))!
      // Another call may have fetched one meanwhile; the rest of that one is never used.
      this.#next = block * IDS_PER_BLOCK
      this.#endOfBlock = this.#next + IDS_PER_BLOCK
    }
    return this.#next++
  }

  /** Nobody can tell whether this lease was made. */
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
