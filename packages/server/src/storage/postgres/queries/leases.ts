import type { Clock } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { endedText } from '../../../core/stats/counters.ts'
import type { DeliveryLease } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'

/**
 * A commit on a connection that then went silent may still arrive while the server keeps its transaction open, which is much
 * shorter than this.
 */
const DOUBT_MS = 60 * SECOND_MS

const IDS_PER_BLOCK = 1_000

/**
 * Ids for the leases of this process. A lease covers the deliveries that one call takes, and results are recorded only under
 * it. Its id is known before the transaction ends: if the answer to the commit is lost, the lease may exist, and can be freed.
 */
export class LeaseIds {
  /** Leases that may exist although their commit was in doubt, and until when they may still appear. */
  readonly #doubtful = new Map<number, number>()
  readonly #clock: Clock
  #next = 0
  #endOfBlock = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async next(tx: Tx): Promise<number> {
    if (this.#next === this.#endOfBlock) {
      const { block } = (await tx.row<{ block: number }>(leaseSql.takeBlock))!
      // Another call may have fetched a block in the meantime; the rest of that one is never used.
      this.#next = block * IDS_PER_BLOCK
      this.#endOfBlock = this.#next + IDS_PER_BLOCK
    }
    return this.#next++
  }

  /** It is unknown whether this lease exists. */
  doubt(lease: number): void {
    this.#doubtful.set(lease, this.#clock.monotonic() + DOUBT_MS)
  }

  /** Leases to find and free. */
  get doubtful(): readonly number[] {
    return [...this.#doubtful.keys()]
  }

  /** After a search: leases that can no longer appear are forgotten. */
  lookedFor(leases: Iterable<number>): void {
    const now = this.#clock.monotonic()
    for (const lease of leases) if (this.#doubtful.get(lease)! <= now) this.#doubtful.delete(lease)
  }
}

/**
 * Follows a part of a statement that has ended leases: deliveries that were canceled while they were leased count from here on.
 * @param changed the part, with `webhook_id`, `status`, `trigger` and `finished_at`
 */
export const countCanceled = (changed: string): string => `
    counted AS (
      INSERT INTO pending_counts (at, scope, data)
      SELECT finished_at, 'webhook', E'\\n' || webhook_id || ':${endedText('canceled')}*' || count(*)
      FROM ${changed} WHERE status = 'canceled' AND trigger <> 'test' GROUP BY finished_at, webhook_id)`

export const leaseSql = {
  takeBlock: `SELECT nextval('lease_blocks') AS block`,
  /**
   * Leased deliveries are listed first, in a separate step. PostgreSQL evaluates the condition again for a row that another
   * transaction has just changed, and must then find it in this list, without going through leases and their ranges.
   */
  free: `
    WITH leased AS MATERIALIZED (
      SELECT id, created_at, lease FROM held_deliveries WHERE lease = ANY ($1::bigint[]) ORDER BY id),
    freed AS (
      UPDATE deliveries d SET lease = NULL FROM leased h
      WHERE d.id = h.id AND d.created_at = h.created_at AND d.lease = h.lease
      RETURNING d.id, d.created_at, d.webhook_id, d.next_attempt_at, d.status, d.trigger, d.finished_at),
    back AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM freed WHERE status = 'pending'),
    gone AS (DELETE FROM leases WHERE id = ANY ($1::bigint[])),
    ${countCanceled('freed')}
    SELECT count(*) AS count FROM freed`,
  lock: 'SELECT id FROM leases WHERE id = ANY ($1::bigint[]) AND node_id = $2 ORDER BY id FOR UPDATE',
  closeEmpty: 'DELETE FROM leases WHERE id = ANY ($1::bigint[]) AND open = 0',
}

/** Calls that change many leased deliveries lock them by id, so that there are no deadlocks. */
export const byId = (one: DeliveryLease, other: DeliveryLease): number => one.deliveryId - other.deliveryId

/** Releases all deliveries under these leases and ends the leases. @returns how many deliveries */
export async function freeLeases(tx: Tx, leases: readonly number[]): Promise<number> {
  if (leases.length === 0) return 0
  return (await tx.row<{ count: number }>(leaseSql.free, [numbers(leases)]))!.count
}

/** @returns which of these leases the node has; they are locked until the transaction ends */
export async function lockLeases(
  tx: Tx,
  nodeId: number,
  deliveries: readonly DeliveryLease[],
): Promise<ReadonlySet<number>> {
  const named = new Set(deliveries.map(({ lease }) => lease))
  const locked = await tx.rows<{ id: number }>(leaseSql.lock, [numbers(named), nodeId])
  return new Set(locked.map(({ id }) => id))
}

/** Ends those of these leases under which nothing is left. */
export async function closeEmpty(tx: Tx, leases: readonly number[]): Promise<void> {
  if (leases.length > 0) await tx.run(leaseSql.closeEmpty, [numbers(leases)])
}
