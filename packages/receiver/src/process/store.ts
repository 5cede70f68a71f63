/** The event that a claim is for. */
export interface ClaimedEvent {
  /** What is claimed: one event, or all events of an entity. */
  readonly key: string
  /** Events with a lower one are older. A safe integer. */
  readonly version: number
  /** Tells events of the same version apart. */
  readonly event: string
}

/**
 * - `claimed`: only this caller may handle the event, until the claim expires or it claims again with the same token.
 * - `busy`: another caller has claimed the key.
 * - `done`: this event, or a newer one of the key, was handled.
 */
export type ClaimResult = 'claimed' | 'busy' | 'done'

/** Keeps what was handled, for `dedupe` and `newestOnly`. Each call must be atomic. */
export interface ProcessedStore {
  /** @param token of the caller; the one that has claimed the key extends its claim */
  claim(event: ClaimedEvent, token: string, leaseMs: number): Promise<ClaimResult>
  /** Notes that the event was handled, unless the claim is lost. */
  complete(event: ClaimedEvent, token: string, keepMs: number): Promise<void>
  /** Gives the claim back, unless it is lost. */
  release(key: string, token: string): Promise<void>
}
