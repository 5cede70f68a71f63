/** What the rest of the engine needs to know of this node's lease on what it has in memory. */
export interface Lease {
  readonly nodeId: number
  /** Whether this node may claim and send now. */
  readonly valid: boolean
}
