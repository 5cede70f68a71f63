import type { FlatStorage } from '../../support/flatStorage.ts'
import type { World } from './world.ts'

export interface OpenedStore {
  readonly storage: FlatStorage
  /** Closes the store and opens it again, as after a restart of its client. */
  readonly reopen: () => Promise<FlatStorage>
  /** Whether one process at a time has the store, so that opening it ends the leases of any earlier one. */
  readonly exclusive: boolean
  /** Whether each row is deleted by its own age; else it may stay as long as others of its day. */
  readonly expiresByRow: boolean
  /** Closes whatever is open and removes it. */
  readonly cleanup: () => Promise<void>
}

/** The store of the current test, as passed to suites. */
export interface Subject {
  readonly world: () => World
  readonly opened: () => OpenedStore
}
