import type { QueuePosition, QueueSample, QueueState } from './stats.ts'

export interface QueuePart extends QueueState {
  /** Start of the next part; `null`: that was the last one. */
  readonly next: QueuePosition | null
}

export interface FanoutStep {
  readonly looked: number
  readonly workspaceIds: readonly number[]
  /** For each event with a trace, how many deliveries were created. */
  readonly traced: readonly { readonly traceparent: string; readonly deliveries: number }[]
}

/** For each dialect, the members of a body that are indexed for search, as paths such as `data.name`. */
export type SearchableMembers = Readonly<Record<string, readonly string[]>>

export interface StepBounds {
  /** Rows of one step, at most. */
  readonly limit: number
  /** How long it may block writes, roughly: a store with one writer handles fewer rows if these take longer. */
  readonly holdMs?: number
}

/** Where the index of a workspace's events ends. */
export interface IndexEnd {
  readonly major: number
  readonly minor: number
  readonly nextSegment: number
}

/** Events of a workspace to add to the index. */
export interface IndexPart {
  readonly workspaceId: number
  /** The end of the index when they were read. */
  readonly from: IndexEnd
  readonly to: IndexEnd & {
    /** When the newest of these events was created, Unix ms; `null`: there are only tests. */
    readonly reachedAt: number | null
  }
  /** Events, tests included. */
  readonly events: number
  /** Internal ids of the tests among them. */
  readonly tests: readonly number[]
  /** Segments that it adds to, and how many events each had. */
  readonly opened: readonly { readonly segment: number; readonly day: number; readonly filled: number }[]
  /** Rows of the tables, as JSON. */
  readonly rows: {
    readonly segments: string
    readonly events: string
    /** For each segment that it adds to. `ordinals`: an object with a member for each term. */
    readonly terms: readonly { readonly segment: number; readonly day: number; readonly ordinals: string }[]
  }
}

/** Background work in bounded steps. */
export interface MaintenanceCalls {
  /** The state of the clock from before this node started. */
  readClock(params: Record<string, never>): Promise<{
    /** Unix ms at which a node last found the clock right; `null`: never. */
    readonly steadyAt: number | null
    /** Unix ms, by the clock at that time, of the last jump or gap, or of the first start; `null`: none was noted. */
    readonly leaptAt: number | null
  }>
  /** `null` keeps the earlier note. */
  noteClock(params: { steadyAt: number | null; leaptAt: number | null }): Promise<void>
  /**
   * Makes pending deliveries due `now` that are leased to no node and due after `latest`: they were scheduled while a clock was
   * wrong. Each call looks at up to `limit` webhooks, by id, and changes up to `limit` deliveries.
   */
  pullInDue(params: { now: number; latest: number; limit: number; afterWebhookId: number }): Promise<{
    readonly pulled: number
    /** For the next call; 0 once all webhooks have been looked at. */
    readonly nextAfterWebhookId: number
  }>
  /**
   * Releases deliveries of nodes whose lease has expired. Leases that end later than {@link MAX_LEASE_MS} from now are first
   * shortened to that. @returns how many
   */
  rescueDeliveries(params: { byNodeId: number }): Promise<number>
  /** Cancels deliveries of webhooks that are off or deleted. @returns how many rows it handled */
  cancelDeliveries(params: StepBounds & { now: number }): Promise<number>
  /**
   * Removes events, deliveries and attempts from before `before`, and the remains of webhooks and workspaces that were deleted
   * before `before`. Replaced secrets and former URLs are kept as long, since the log shows requests that were made with them.
   * A delivery that is still pending is first canceled, as expired, and removed once that is longer ago than `expiredBefore`,
   * so that people can see it. A leased delivery stays, with its event, until it is released or recorded; a store may keep
   * other rows of the same age until then.
   */
  deleteExpired(params: {
    before: number
    now: number
    expiredBefore: number
    /** Deletes entries of the audit log from before this time. */
    auditBefore: number
    /** Deletes idempotency records from before this time. Response data that has expired at `now` is deleted in any case. */
    idempotencyBefore: number
    limit: number
  }): Promise<{
    /** Rows that were handled or skipped in this step; 0: nothing is left to do. */
    readonly handled: number
    /** Of these, pending deliveries that were canceled. */
    readonly expired: number
  }>
  /**
   * Creates deliveries that accepted events still lack, due now and leased to no node. Workspaces take turns; within one the
   * oldest event comes first. A delivery is created for the webhook as it is now: none if it was deleted, and a canceled one if
   * it was disabled since the event was accepted.
   * @param params.limit webhooks to look at, at most
   * @returns how many it looked at, and of which workspaces; 0: nothing is left, or other nodes are working on the workspaces
   *   that it tried
   */
  stepFanouts(params: { now: number; limit: number }): Promise<FanoutStep>
  /**
   * Makes deliveries pending for unfinished bulk replays: workspaces take turns, and in each the oldest replay comes first,
   * webhook by webhook and of each the oldest delivery first. A delivery that ended after its replay was requested is skipped,
   * so each replay sends it at most once. A replay waits while deliveries ahead of it are being canceled, and a recovery while
   * much is due for its webhook.
   * @param params.limit rows to look at
   * @returns how many rows it looked at (0: nothing can be done now, and `waits` says whether something can be later) and how
   *   many deliveries it made due
   */
  stepReplays(params: StepBounds & { now: number }): Promise<{
    readonly looked: number
    readonly started: number
    readonly waits: boolean
  }>
  /**
   * Continues retries of all pending deliveries, for some webhooks by id: one delivery first, and after each batch that arrived
   * completely twice as many. The first failure ends the retry.
   * @param params.places deliveries requested at once, at most
   * @param params.afterWebhookId where the last call ended; 0 at first
   * @returns how many deliveries it made due
   */
  stepRetries(params: { now: number; places: number; afterWebhookId: number }): Promise<{
    readonly asked: number
    /** For the next call; 0 once all have been looked at. */
    readonly nextAfterWebhookId: number
  }>
  /**
   * Adds some of the pending counts to the time buckets; each is added once, however many nodes call this.
   * @returns whether there is more to do; false also while another node does it
   */
  rollUpStats(params: { now: number }): Promise<boolean>
  /**
   * Looks at some workspaces, by id.
   * @returns those with events that are not in the search index yet
   */
  findUnindexed(params: { afterWorkspaceId: number; limit: number }): Promise<{
    readonly workspaceIds: readonly number[]
    /** For the next call; 0 once all have been looked at. */
    readonly nextAfterWorkspaceId: number
  }>
  /**
   * Reads events of these workspaces that are not indexed yet, in the order of the feed.
   * @param params.limit rows of the index, roughly: one for each event and each different term, and some for each workspace
   */
  readUnindexed(params: {
    workspaceIds: readonly number[]
    searchable: SearchableMembers
    limit: number
  }): Promise<{
    readonly parts: readonly IndexPart[]
    /** Workspaces with more such events. */
    readonly left: readonly number[]
  }>
  /** Adds parts to the index. Parts that another node has indexed since, or is indexing, are skipped. */
  indexEvents(params: { parts: readonly IndexPart[] }): Promise<{
    readonly indexed: number
    /** Workspaces whose part was skipped. */
    readonly passedOver: readonly number[]
  }>
  /** Adds results of deliveries to the index. @param params.limit deliveries, or rows of them, roughly */
  indexCodes(params: StepBounds): Promise<{ readonly indexed: number; readonly more: boolean }>
  /**
   * Counts the first part of the whole store's queue; add up the parts. It takes some milliseconds, during which other calls
   * wait.
   */
  readQueue(params: { now: number }): Promise<QueuePart>
  /** Counts a further part. No write waits for it. */
  readQueueLater(params: { now: number; from: QueuePosition }): Promise<QueuePart>
  /** Whether there is a sample of the queue for this time. */
  hasQueueSample(params: Pick<QueueSample, 'at'>): Promise<boolean>
  /** Stores a sample of the queue, unless there is one for this time. */
  keepQueueSample(params: QueueSample): Promise<void>
}
