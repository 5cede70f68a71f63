/** An event that a producer emitted, as it waits in the outbox. */
export interface OutboxRow {
  /** Where it stands in the outbox. */
  readonly position: string
  /** Part of the outbox, see `postgres/layout.ts`. */
  readonly shard: number
  /** As the producer named it. */
  readonly workspace: string
  /** JSON of what `POST …/events` takes; `null`: it is larger than any event may be. */
  readonly event: string | null
  /** Unix ms. */
  readonly emittedAt: number
}

/** Rows in the order in which they are to be published. */
export interface Batch {
  /** The rows are of these, and no row of these lies before them. */
  readonly shards: readonly number[]
  readonly rows: readonly OutboxRow[]
  /** Whether more rows are there already. */
  readonly more: boolean
}

/** Why a row is held outside of the order: its workspace is blocked, or Posthorn rejected the row. */
export type HeldState = 'waiting' | 'failed'

/** What was not published yet, of the part of the outbox that this relay has. Counting ends at {@link MOST_COUNTED}. */
export interface Backlog {
  /** Rows that were not published yet, without those that failed. */
  readonly pending: number
  /** Age of the oldest of them, in ms; 0 when there are none. */
  readonly oldestPendingMs: number
  /** Pending rows that are held. */
  readonly waiting: number
  readonly failed: number
}

export const MOST_COUNTED = 20_000

/** What the outbox takes of the producer's disk. In SQLite it is an estimate. */
export interface Stored {
  /** Rows that were emitted and not removed yet, published ones included. */
  readonly emittedBytes: number
  readonly heldBytes: number
  /** Age of the oldest emitted row that was not removed yet, in ms; 0 when there are none. */
  readonly oldestMs: number
}

/** A workspace whose rows wait. */
export interface WaitingWorkspace {
  readonly workspace: string
  readonly rows: number
  /** Whether there are more rows than were counted. */
  readonly isMore: boolean
  /** Of the row that is published next; Unix ms. */
  readonly emittedAt: number
  /** Why that row waits. */
  readonly reason: string
}

/** Most workspaces that are listed as waiting, and most rows that are counted for all of them together. */
export const MOST_WORKSPACES_LISTED = 1_000
export const MOST_LISTED_COUNTED = 1_000_000

/** A row that Posthorn rejected. */
export interface FailedRow {
  readonly position: string
  readonly workspace: string
  readonly event: string
  readonly reason: string
  /** Unix ms. */
  readonly emittedAt: number
  readonly failedAt: number
}

/** Which failed rows a command is about. */
export interface FailedSelection {
  /** `null`: of all workspaces. */
  readonly workspace: string | null
  /** Ids of events; `null`: all. */
  readonly ids: readonly string[] | null
}

/**
 * One connection of a relay to an outbox. Calls reject once the connection is lost; another session then begins where the
 * outbox says.
 */
export interface OutboxSession {
  /**
   * Renews leases, stores progress and claims free shards. To be called every {@link KEEP_EVERY_MS} or more often. If another
   * relay took over a shard meanwhile, some events are published twice, and Posthorn knows them by their ids.
   * @returns whether shards were claimed
   */
  keep(): Promise<boolean>
  /**
   * The rows behind those that were read before.
   * @param except shards that are not read now
   */
  read(except: ReadonlySet<number>): Promise<Batch>
  /**
   * All rows of a batch were published or held: no session reads them again. In the order in which batches of a shard were
   * read.
   */
  passed(batch: Batch): void
  /** Stores rows outside of the order. Those that are there are given the new state and reason. */
  hold(rows: readonly HeldRow[]): Promise<void>
  /** Workspaces that have waiting rows, at most as many as a relay keeps. */
  workspacesWaiting(): Promise<readonly string[]>
  /** The first waiting rows of a workspace. */
  waiting(workspace: string): Promise<readonly OutboxRow[]>
  /** Removes waiting rows that were published. */
  release(rows: readonly OutboxRow[]): Promise<void>
  /** Gives waiting rows another state or reason. Rows that were dropped meanwhile stay dropped. */
  change(rows: readonly HeldRow[]): Promise<void>
  backlog(): Promise<Backlog>
  stored(): Promise<Stored>
  /** Resolves when there may be something to read, or after a time that the session chooses. */
  wait(): Promise<void>
  /** Ends a {@link wait}. */
  wake(): void
  /** Gives back what this relay has. */
  close(): Promise<void>
}

export interface HeldRow {
  readonly row: OutboxRow
  readonly state: HeldState
  /** One sentence. */
  readonly reason: string
}

/** Keeps a lease of {@link LEASE_MS} alive with room for a slow answer. */
export const KEEP_EVERY_MS = 1_000
/** A relay that is silent for this long is taken for dead. */
export const LEASE_MS = 5_000

export interface Outbox {
  /** Shown in logs and metrics; has no credentials. */
  readonly place: string
  /** @param relay a UUID: the same for all sessions of one relay, of which one at a time is open */
  open(relay: string): Promise<OutboxSession>
  /** In the order in which they failed. */
  failed(selection: FailedSelection, limit: number): Promise<readonly FailedRow[]>
  /** Failed rows wait again. @returns how many */
  retry(selection: FailedSelection): Promise<number>
  /** Removes failed rows. @returns how many */
  drop(selection: FailedSelection): Promise<number>
  /** @param workspace `null`: all, at most {@link MOST_WORKSPACES_LISTED} */
  waiting(workspace: string | null): Promise<readonly WaitingWorkspace[]>
  /** Removes the rows of a workspace that wait now, in steps that others need not wait for. @returns how many */
  dropWaiting(workspace: string): Promise<number>
}

/** Another relay took over, or shares the work from now on: what was read is not this relay's any more. */
export class ShardsLostError extends Error {
  override readonly name = 'ShardsLostError'
}

/** The outbox cannot be reached, or is not set up; the message says which. */
export class OutboxUnavailableError extends Error {
  override readonly name: string = 'OutboxUnavailableError'
}

/** Trying again does not help: there is no outbox, or the credentials are wrong. */
export class OutboxUnusableError extends OutboxUnavailableError {
  override readonly name = 'OutboxUnusableError'
}
