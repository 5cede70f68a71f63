import type { Clock } from '../../core/clock.ts'
import type { Migration } from '../migrations/migration.ts'
import type { Connections } from './connections.ts'
import type { Locks } from './locks.ts'
import type { Partitions } from './partitions.ts'
import type { LeaseIds } from './queries/leases.ts'
import type { StoreClock } from './storeClock.ts'
import type { WebhookMatcher } from './webhookMatcher.ts'

/** The context of all calls. */
export interface Store {
  readonly connections: Connections
  readonly locks: Locks
  /** The migrations of this program. */
  readonly migrations: readonly Migration[]
  readonly partitions: Partitions
  readonly leaseIds: LeaseIds
  readonly matching: WebhookMatcher
  /** The machine's own clock, for waiting. */
  readonly machineClock: Clock
  /** The database's time, kept at each renewal of a lease. */
  readonly clock: StoreClock
}
