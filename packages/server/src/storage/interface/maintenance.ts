import type { QueuePosition, QueueSample, QueueState } from './figures.ts'

export interface QueuePart extends QueueState {
  /** Where the next part begins; `null`: that was the last one. */
  readonly next: QueuePosition | null
}

export interface FanoutStep {
  readonly looked: number
  readonly workspaceIds: readonly number[]
  /** For each event that belongs to a trace, how many deliveries were made. */
  readonly traced: readonly { readonly traceparent: string; readonly deliveries: number }[]
}

/** For each dialect, the members of a body whose words find an event, as paths such as `data.name`. */
export type SearchableMembers = Readonly<Record<string, readonly string[]>>

export interface StepBounds {
  /** Rows of one step, at most. */
  readonly limit: number
  /** How long it may keep others from storing anything, about: a store that has one writer handles fewer rows where these take longer. */
  readonly holdMs?: number
}

/** Where the index of a workspace's events ends. */
export interface IndexEnd {
  readonly major: number
  readonly minor: number
  readonly nextSegment: number
}

/** Events of a workspace that the index lacks, as they are written to it. */
export interface IndexPart {
  readonly workspaceId: number
  /** Where the index ended when they were read. */
  readonly from: IndexEnd
  readonly to: IndexEnd & {
    /** When the newest of these events was made, Unix ms; `null`: there are tests alone. */
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
    /** Of each segment that it adds to. `ordinals`: an object with a member for each term. */
    readonly terms: readonly { readonly segment: number; readonly day: number; readonly ordinals: string }[]
  }
}

/** Background work in bounded steps. */
export interface MaintenanceVerbs {
  /** What is known of the clock since before this node started. */
  readClock(params: Record<string, never>): Promise<{
    /** Unix ms at which some node last found the clock right; `null`: none has yet. */
    readonly steadyAt: number | null
    /** Unix ms, by the clock as it was then, of the last leap or gap, or of the first start; `null`: none was noted. */
    readonly leaptAt: number | null
  }>
  /** `null` leaves what was noted before. */
  noteClock(params: { steadyAt: number | null; leaptAt: number | null }): Promise<void>
  /**
   * Makes pending deliveries due `now` leased to no node that are due after `latest`: only a clock that was wrong
   * wrote them so. Each call looks at up to `limit` webhooks, in the order of their ids, and changes up to `limit`
   * deliveries.
   * @param params.afterWebhookId where the last call ended; 0 at first
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
   * Removes what was made before `before`, and what is left of webhooks and workspaces that were deleted before
   * `before`. Replaced secrets and former URLs are kept as long, since the log shows requests that were made with them.
   * A delivery that is still pending is first canceled, as expired, and removed once it has been so since before
   * `expiredBefore`, so that people can see it. A leased delivery stays, with its event, until it is released or recorded; a
   * store may keep other rows of the same age until then.
   */
  deleteExpired(params: {
    before: number
    now: number
    expiredBefore: number
    /** Entries of the audit log made before go. */
    auditBefore: number
    /** Answers remembered under idempotency keys before go. Response data whose time is over at `now` goes in any case. */
    idempotencyBefore: number
    limit: number
  }): Promise<{
    /** Rows handled or passed over in this step; 0: nothing is left to do. */
    readonly handled: number
    /** Of these, pending deliveries that were canceled. */
    readonly expired: number
  }>
  /**
   * Makes deliveries that accepted events still lack, due now and leased to no node. Workspaces take turns; within one
   * the oldest event goes first. A delivery goes to the webhook as it is now: none is made if it was deleted, and a
   * canceled one if it was disabled since the event was accepted.
   * @param params.limit most webhooks to look at
   * @returns how many it looked at, and of which workspaces; 0: nothing is left, or other nodes are working on
   *   the workspaces that it tried
   */
  stepFanouts(params: { now: number; limit: number }): Promise<FanoutStep>
  /**
   * Makes deliveries pending for bulk replays that are not finished: workspaces take turns, and in each goes the oldest
   * replay first, webhook by webhook and of each the oldest delivery first.
   * A delivery that ended after its replay was asked for is left alone, so each is replayed at most once by each. A replay waits
   * while deliveries that it has yet to look at are being canceled, and a recovery while much is due for its webhook.
   * @param params.limit rows to look at
   * @returns how many rows it looked at (0: nothing can be done now, and `waits` tells whether something can be later) and how
   *   many deliveries it made due
   */
  stepReplays(params: StepBounds & { now: number }): Promise<{
    readonly looked: number
    readonly started: number
    readonly waits: boolean
  }>
  /**
   * Goes on with retries of all that is pending for a webhook, of some webhooks in the order of their ids: one delivery first, and
   * after each batch of which every delivery arrived twice as many. The first failure ends the retry.
   * @param params.places deliveries asked for at once, at most
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
   * @returns whether there is more to do; false also while another node is doing it
   */
  rollUpFigures(params: { now: number }): Promise<boolean>
  /**
   * Looks at some workspaces, in the order of their ids.
   * @returns those that have events which the search does not find by its index yet
   */
  findUnindexed(params: { afterWorkspaceId: number; limit: number }): Promise<{
    readonly workspaceIds: readonly number[]
    /** For the next call; 0 once all have been looked at. */
    readonly nextAfterWorkspaceId: number
  }>
  /**
   * Reads what the index lacks of these workspaces, of each in the order of its feed.
   * @param params.limit rows of the index, about: one for each event and each different term, and some for each workspace
   */
  readUnindexed(params: {
    workspaceIds: readonly number[]
    searchable: SearchableMembers
    limit: number
  }): Promise<{
    readonly parts: readonly IndexPart[]
    /** Workspaces that have more. */
    readonly left: readonly number[]
  }>
  /** Adds parts to the index. What another node has indexed since they were read, or is indexing, is passed over. */
  indexEvents(params: { parts: readonly IndexPart[] }): Promise<{
    readonly indexed: number
    /** Workspaces whose part was passed over. */
    readonly passedOver: readonly number[]
  }>
  /** Writes the index of what became of deliveries. @param params.limit deliveries, or rows that hold them, about */
  indexCodes(params: StepBounds): Promise<{ readonly indexed: number; readonly more: boolean }>
  /** Counts the first part of the whole store's queue; add up the parts. It takes some milliseconds, since other calls wait for it. */
  readQueue(params: { now: number }): Promise<QueuePart>
  /** Counts a further part. No call that stores something waits for it. */
  readQueueLater(params: { now: number; from: QueuePosition }): Promise<QueuePart>
  /** Whether there is a sample of the queue for this time. */
  hasQueueSample(params: Pick<QueueSample, 'at'>): Promise<boolean>
  /** Stores a sample of the queue, unless there is one for this time. */
  keepQueueSample(params: QueueSample): Promise<void>
}
