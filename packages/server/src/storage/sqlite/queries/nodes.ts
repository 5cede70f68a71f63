import { PendingEndCounts } from '../../queries/statsRollup.ts'
import { MAX_LEASE_MS, type RegisteredNode } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { CallTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { carryOutOn } from '../syncWork.ts'

/** Deliveries released in one call: about 20 ms of work. */
const RESCUE_CHUNK = 5_000

// The database's clock, not the caller's: nodes on several machines must agree on when a lease ends.
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

const HELD = 'SELECT id FROM deliveries WHERE lease = ? ORDER BY id LIMIT ?'
const CANCELED = 'webhook_id AS webhookId, finished_at AS finishedAt'

export const nodeSql = {
  register: `
    INSERT INTO nodes (lease_until, started_at, master_keys, version)
    VALUES (${NOW} + ?, ${NOW}, ?, ?) RETURNING id`,
  renew: `UPDATE nodes SET lease_until = ${NOW} + ? WHERE id = ?`,
  list: `
    SELECT id, started_at AS startedAt, lease_until AS leaseUntil, lease_until > ${NOW} AS alive,
      master_keys AS masterKeys, version
    FROM nodes ORDER BY id`,
  exists: 'SELECT 1 FROM nodes WHERE id = ?',
  cutLong: `UPDATE nodes SET lease_until = ${NOW} + ${MAX_LEASE_MS} WHERE lease_until > ${NOW} + ${MAX_LEASE_MS}`,
  expired: `SELECT id FROM nodes WHERE lease_until <= ${NOW} AND id <> ? ORDER BY id`,
  expireAll: 'UPDATE nodes SET lease_until = 0',
  remove: 'DELETE FROM nodes WHERE id = ?',
  free: `UPDATE deliveries SET lease = NULL WHERE id IN (${HELD})`,
  canceled: `
    SELECT ${CANCELED} FROM deliveries WHERE id IN (${HELD}) AND status = 'canceled' AND trigger <> 'test'`,
  release: `
    UPDATE deliveries SET lease = NULL WHERE id = ? AND lease = ?
    RETURNING status = 'canceled' AND trigger <> 'test' AS counts, ${CANCELED}`,
}

type NodeCalls = Pick<
  CallTable,
  'registerNode' | 'renewNode' | 'retireNode' | 'rescueDeliveries' | 'releaseDeliveries' | 'listNodes'
>

interface ListedNode extends Omit<RegisteredNode, 'alive' | 'masterKeys'> {
  readonly alive: 0 | 1
  readonly masterKeys: string | null
}

/** A delivery that was canceled while it was leased, and is leased no more. */
interface Canceled {
  readonly webhookId: number
  readonly finishedAt: number
}

export function nodeCalls(store: Store): NodeCalls {
  const { db } = store
  const carryOut = carryOutOn(store)
  const register = db.prepare<[number, string | null, string | null], { id: number }>(nodeSql.register)
  const renew = db.prepare<[number, number]>(nodeSql.renew)
  const cutLong = db.prepare(nodeSql.cutLong)
  const expired = db.prepare<[number], { id: number }>(nodeSql.expired)
  const remove = db.prepare<[number]>(nodeSql.remove)
  const free = db.prepare<[number, number]>(nodeSql.free)
  const list = db.prepare<[], ListedNode>(nodeSql.list)
  const canceled = db.prepare<[number, number], Canceled>(nodeSql.canceled)
  const release = db.prepare<[number, number], Canceled & { counts: 0 | 1 }>(nodeSql.release)

  function count(ended: readonly Canceled[]): void {
    const counts = new PendingEndCounts()
    for (const { webhookId, finishedAt } of ended) counts.canceled(webhookId, finishedAt)
    carryOut(counts.save())
  }

  /** @returns how many deliveries it released */
  function freeSome(nodeId: number, limit: number): number {
    count(canceled.all(nodeId, limit))
    return free.run(nodeId, limit).changes
  }

  return {
    registerNode: ({ leaseMs, masterKeys, version = null }) => ({
      nodeId: register.get(leaseMs, masterKeys?.join(',') ?? null, version)!.id,
    }),
    renewNode: ({ nodeId, leaseMs }) => renew.run(leaseMs, nodeId).changes > 0,
    retireNode({ nodeId }) {
      freeSome(nodeId, -1)
      remove.run(nodeId)
    },
    rescueDeliveries({ byNodeId }) {
      cutLong.run()
      let freed = 0
      for (const node of expired.all(byNodeId)) {
        const room = RESCUE_CHUNK - freed
        const changes = freeSome(node.id, room)
        freed += changes
        if (changes === room) break
        remove.run(node.id)
      }
      return freed
    },
    releaseDeliveries({ nodeId, deliveries }) {
      count(
        deliveries.flatMap(({ deliveryId }) => {
          const released = release.get(deliveryId, nodeId)
          return released?.counts === 1 ? [released] : []
        }),
      )
    },
    listNodes: () =>
      list.all().map(({ alive, masterKeys, ...node }) => ({
        ...node,
        alive: alive === 1,
        masterKeys: masterKeys?.split(',') ?? null,
      })),
  }
}

/** @returns whether the node may still have leases. */
export function nodeCheck(db: Connection): (nodeId: number) => boolean {
  const exists = db.prepare<[number]>(nodeSql.exists)
  return (nodeId) => exists.get(nodeId) !== undefined
}

/** Ends the leases of all nodes: the holder of the directory's lock knows that no other process uses the store. */
export function expireAllNodes(db: Connection): void {
  db.prepare(nodeSql.expireAll).run()
}
