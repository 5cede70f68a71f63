import type { MatchCache } from '../matchCache.ts'
import type { HeldDeliveries } from './heldDeliveries.ts'
import type { Locks } from './locks.ts'
import type { Partitions } from './partitions.ts'

/** What every area of verbs works on. */
export interface Store {
  readonly locks: Locks
  readonly partitions: Partitions
  readonly held: HeldDeliveries
  readonly matchCache: MatchCache
}
