import { MAX_LEASE_MS } from '../../../src/storage/storage.ts'
import type { StoredDelivery } from './rows.ts'
import type { Calls, StoreState } from './state.ts'

type NodeCallName =
  | 'registerNode'
  | 'renewNode'
  | 'retireNode'
  | 'rescueDeliveries'
  | 'releaseDeliveries'
  | 'listNodes'

export function nodeCalls(state: StoreState): Calls<NodeCallName> {
  const { nodes, leases } = state
  let ids = 0

  const leasedTo = (nodeId: number): StoredDelivery[] =>
    [...leases.values()].flatMap((lease) => (lease.nodeId === nodeId ? [...lease.deliveries] : []))

  function remove(nodeId: number): void {
    if (nodes.delete(nodeId)) state.note({ kind: 'nodeRemoved', nodeId })
  }

  return {
    registerNode({ leaseMs, masterKeys = null, version = null }) {
      const id = ++ids
      const startedAt = state.now()
      nodes.set(id, { id, startedAt, leaseUntil: startedAt + leaseMs, masterKeys, version })
      return { nodeId: id }
    },
    renewNode({ nodeId, leaseMs }) {
      const node = nodes.get(nodeId)
      if (node !== undefined) node.leaseUntil = state.now() + leaseMs
      return node !== undefined
    },
    retireNode({ nodeId }) {
      remove(nodeId)
      state.free(leasedTo(nodeId), 'retirement')
    },
    rescueDeliveries({ byNodeId }) {
      const now = state.now()
      for (const node of nodes.values()) {
        node.leaseUntil = Math.min(node.leaseUntil, now + MAX_LEASE_MS)
        if (node.leaseUntil <= now && node.id !== byNodeId) remove(node.id)
      }
      const orphaned = [...leases.values()]
        .filter(({ nodeId }) => !nodes.has(nodeId))
        .slice(0, state.sizes.leasesFreed)
      const deliveries = orphaned.flatMap((lease) => [...lease.deliveries])
      state.free(deliveries, 'rescue')
      return deliveries.length
    },
    releaseDeliveries({ nodeId, deliveries }) {
      const leased = deliveries.filter(({ deliveryId, lease }) => {
        const delivery = state.deliveries[deliveryId - 1]!
        return delivery.lease === lease && leases.get(lease)?.nodeId === nodeId
      })
      const released = new Set(leased.map(({ deliveryId }) => state.deliveries[deliveryId - 1]!))
      state.free([...released], 'release')
    },
    listNodes: () => [...nodes.values()].map((node) => ({ ...node, alive: node.leaseUntil > state.now() })),
  }
}

/** Ends leases whose node never learned of them, since the answer of the call was lost. */
export function freeDoubtful(state: StoreState, leases: Iterable<number>): void {
  for (const id of leases) {
    const lease = state.leases.get(id)
    if (lease !== undefined) state.free([...lease.deliveries], 'lost answer')
  }
}
