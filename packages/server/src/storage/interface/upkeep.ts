/** Background work in bounded steps; each call returns how many rows it handled. */
export interface UpkeepVerbs {
  /** What is known of the clock since before this node started. */
  readClock(params: Record<string, never>): Promise<{
    /** Unix ms at which some node last found the clock right; `null`: none has yet. */
    readonly steadyAt: number | null
    /** Unix ms, by the clock as it was then, at which it last leapt; `null`: it has not been seen to. */
    readonly leaptAt: number | null
  }>
  /** `null` leaves what was noted before. */
  noteClock(params: { steadyAt: number | null; leaptAt: number | null }): Promise<void>
  /**
   * Makes pending deliveries due `now` that no node holds and that are due after `latest`: only a clock that was wrong
   * wrote them so. Each call looks at up to `limit` webhooks, in the order of their ids, and changes up to `limit`
   * deliveries.
   * @param params.afterWebhookId where the last call ended; 0 at first
   */
  pullInDue(params: { now: number; latest: number; limit: number; afterWebhookId: number }): Promise<{
    readonly pulled: number
    /** For the next call; 0 once all webhooks have been looked at. */
    readonly nextAfterWebhookId: number
  }>
  /** Ends deliveries of webhooks that are off or deleted. */
  cancelDeliveries(params: { now: number; limit: number }): Promise<number>
  /**
   * Removes what was made before `before`, and what is left of webhooks and workspaces that were deleted before
   * `before`. Replaced secrets and former URLs are kept as long, since the log shows requests that were made with them.
   * A delivery that is still pending is first canceled, as expired, and removed once it has been so since before
   * `expiredBefore`, so that people can see it. What is held stays with its event; a store may keep what is as old
   * beside it as long. Once it is given back or recorded all goes.
   */
  deleteExpired(params: {
    before: number
    now: number
    expiredBefore: number
    /** Entries of the audit log made before go. */
    auditBefore: number
    /** Answers remembered under idempotency keys before go. Memos whose time is over at `now` go in any case. */
    onceBefore: number
    limit: number
  }): Promise<{
    /** Rows handled or passed over in this step; 0: nothing is left to do. */
    readonly handled: number
    /** Of these, pending deliveries that were canceled. */
    readonly expired: number
  }>
}
