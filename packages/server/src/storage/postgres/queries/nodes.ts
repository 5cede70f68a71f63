import { MAX_LEASE_MS, type RegisteredNode, StoreUnavailableError } from '../../storage.ts'
import { type CallTable, hot, reads, single, writes } from '../call.ts'
import { refuseNewerSchema } from '../migrate.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { closing, ending, fences } from './attemptRows.ts'
import { byId, closeEmpty, countCanceled, freeLeases, lockLeases } from './leases.ts'

/** Leases freed in one call; each covers the deliveries that one call of a node took. */
const LEASES_AT_ONCE = 10

/**
 * Each server numbers its transactions independently. After a dump and restore, new rows must still come after the old ones,
 * the last of which were stored some seconds after this was last noted.
 */
const keepOrder = `
    here AS (
      SELECT pg_current_xact_id()::text::bigint AS xact, (SELECT system_identifier FROM pg_control_system()) AS server),
    kept AS (
      SELECT here.*, CASE WHEN s.server = here.server THEN s.xact_offset WHEN s.last_xact = 0 THEN 0
        ELSE greatest(s.last_xact + 1000000000 - here.xact, 0) END AS xact_offset
      FROM store s, here),
    noted AS (
      UPDATE store s SET server = kept.server, xact_offset = kept.xact_offset,
        last_xact = greatest(s.last_xact, kept.xact + kept.xact_offset)
      FROM kept)`

export const nodeSql = {
  register: `
    WITH ${keepOrder}
    INSERT INTO nodes (lease_until, started_at, master_keys, version)
    VALUES (now_ms() + $1, now_ms(), $2, $3) RETURNING id, now_ms() AS now`,
  renew: `
    WITH ${keepOrder}
    UPDATE nodes SET lease_until = now_ms() + $1 WHERE id = $2 RETURNING id, now_ms() AS now`,
  list: `
    SELECT id, started_at AS "startedAt", lease_until AS "leaseUntil", lease_until > now_ms() AS alive,
      string_to_array(master_keys, ',') AS "masterKeys", version
    FROM nodes ORDER BY id`,
  cutLong: `
    UPDATE nodes SET lease_until = now_ms() + ${MAX_LEASE_MS} WHERE id IN (
      SELECT id FROM nodes WHERE lease_until > now_ms() + ${MAX_LEASE_MS} ORDER BY id FOR UPDATE SKIP LOCKED)`,
  /** From here on they cannot come back, and their deliveries are free. */
  removeExpired: `
    DELETE FROM nodes WHERE id IN (
      SELECT id FROM nodes WHERE lease_until <= now_ms() AND id <> $1 ORDER BY id FOR UPDATE SKIP LOCKED)`,
  orphaned: `
    SELECT l.id FROM leases l WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = l.node_id)
    ORDER BY l.id LIMIT ${LEASES_AT_ONCE} FOR UPDATE SKIP LOCKED`,
  remove: 'DELETE FROM nodes WHERE id = $1',
  leasesOf: 'SELECT id FROM leases WHERE node_id = $1 ORDER BY id FOR UPDATE',
  lives: 'SELECT lease_until > now_ms() AS lives FROM nodes WHERE id = $1',
  release: `
    WITH changed AS (
      UPDATE deliveries d SET lease = NULL
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS r (id, created_at, lease)
      WHERE d.id = r.id AND d.created_at = r.created_at AND d.lease = r.lease
      RETURNING d.id, d.created_at, d.webhook_id, d.next_attempt_at, d.status, d.trigger, d.finished_at, r.lease),
    back AS (
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM changed WHERE status = 'pending'),
    ${countCanceled('changed')},
    ${closing}`,
}

type NodeCalls = Pick<
  CallTable,
  'registerNode' | 'renewNode' | 'retireNode' | 'rescueDeliveries' | 'releaseDeliveries' | 'listNodes'
>

interface Lease {
  readonly id: number
  readonly now: number
}

export function nodeCalls({ clock, machineClock, migrations }: Store): NodeCalls {
  async function leaseOf(
    tx: Tx,
    sql: string,
    values: readonly (number | string | null)[],
  ): Promise<number | null> {
    const askedAt = machineClock.monotonic()
    const lease = await tx.row<Lease>(sql, values)
    if (lease !== undefined) clock.set(lease.now, askedAt)
    return lease?.id ?? null
  }

  return {
    registerNode: hot(
      single(async (tx, { leaseMs, masterKeys, version = null }) => {
        const values = [leaseMs, masterKeys?.join(',') ?? null, version]
        return { nodeId: (await leaseOf(tx, nodeSql.register, values))! }
      }),
    ),
    renewNode: hot(
      single(async (tx, { nodeId, leaseMs }) => {
        // An upgrade that this program is not compatible with ends its lease.
        await refuseNewerSchema(tx, migrations)
        return (await leaseOf(tx, nodeSql.renew, [leaseMs, nodeId])) !== null
      }),
    ),
    retireNode: writes(async (tx, { nodeId }) => {
      await tx.run(nodeSql.remove, [nodeId])
      const leases = await tx.rows<{ id: number }>(nodeSql.leasesOf, [nodeId])
      await freeLeases(
        tx,
        leases.map(({ id }) => id),
      )
    }),
    rescueDeliveries: writes(async (tx, { byNodeId }) => {
      await tx.run(nodeSql.cutLong)
      await tx.run(nodeSql.removeExpired, [byNodeId])
      // A lease may be empty, which is no reason to stop.
      for (;;) {
        const orphaned = await tx.rows<{ id: number }>(nodeSql.orphaned)
        const freed = await freeLeases(
          tx,
          orphaned.map(({ id }) => id),
        )
        if (freed > 0 || orphaned.length === 0) return freed
      }
    }),
    listNodes: reads((tx) => tx.rows<RegisteredNode>(nodeSql.list)),
    releaseDeliveries: hot(
      writes(async (tx, { nodeId, deliveries }) => {
        const leases = await lockLeases(tx, nodeId, deliveries)
        const mine = deliveries.filter(({ lease }) => leases.has(lease)).sort(byId)
        if (mine.length === 0) return
        const { emptied } = await ending(tx, nodeSql.release, fences(mine))
        await closeEmpty(tx, emptied)
      }),
    ),
  }
}

/**
 * Whether the node may record results of its leased deliveries.
 * @returns false when it is gone
 * @throws StoreUnavailableError (rejects) when its lease has expired and no node has taken over yet: if it is renewed, nothing
 *   is lost
 */
export async function nodeHolds(tx: Tx, nodeId: number): Promise<boolean> {
  const node = await tx.row<{ lives: boolean }>(nodeSql.lives, [nodeId])
  if (node?.lives === false) throw new StoreUnavailableError('the lease of this node expired')
  return node !== undefined
}
