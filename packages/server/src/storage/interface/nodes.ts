import { MINUTE_MS } from '../../core/duration.ts'

/** The longest lease that a node may ask for. One that ends later was written while a clock was wrong. */
export const MAX_LEASE_MS = 10 * MINUTE_MS

/** One node's claim to be alive. Deliveries are leased to it, and all those leases end with it. */
export interface NodeLease {
  readonly nodeId: number
}

/** A node that has registered and whose lease was not taken over. */
export interface RegisteredNode {
  readonly id: number
  /** Unix ms by the store's clock, like all times here; `null`: it runs an earlier release, which does not record it. */
  readonly startedAt: number | null
  readonly leaseUntil: number
  /** Its release; `null`: not known. */
  readonly version: string | null
  /** Whether its lease is valid now. */
  readonly alive: boolean
  /** Ids of its master keys, the current one first; `null`: not noted. */
  readonly masterKeys: readonly string[] | null
}

export interface NodeCalls {
  /**
   * @param params.masterKeys their ids, the current one first
   * @param params.version its release; left out: not known
   */
  registerNode(params: {
    leaseMs: number
    masterKeys?: readonly string[]
    version?: string
  }): Promise<NodeLease>
  /** @returns false if the lease had expired and another node took the deliveries over: register again. */
  renewNode(params: { nodeId: number; leaseMs: number }): Promise<boolean>
  /** Releases everything leased to the node and ends it. */
  retireNode(params: { nodeId: number }): Promise<void>
  /** Oldest first. */
  listNodes(params: Record<string, never>): Promise<readonly RegisteredNode[]>
}
