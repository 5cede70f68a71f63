/** The result of publishing events. */
export type PublishOutcome =
  /** `repeated` of them had been published before. */
  | { readonly outcome: 'published'; readonly repeated: number }
  /** Nothing was published, because of the events at these positions, or of unknown ones if the list is empty. */
  | { readonly outcome: 'rejected'; readonly events: readonly RejectedEvent[]; readonly reason: string }
  /** The workspace cannot publish now: its key is not valid, or a quota is used up. */
  | { readonly outcome: 'blocked'; readonly reason: string; readonly retryAfterMs: number | null }
  /** Posthorn cannot be reached, or rejects all requests temporarily. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAfterMs: number | null }

export interface RejectedEvent {
  readonly position: number
  readonly reason: string
}

/** Publishes events to Posthorn. */
export interface EventPublisher {
  /**
   * Does not reject.
   * @param events JSON of each, at most {@link MOST_EVENTS} and {@link MOST_BYTES} in total
   * @param idempotencyKey for events without ids, so that a retry after a lost response publishes nothing twice
   */
  publish(
    workspace: string,
    events: readonly string[],
    idempotencyKey?: string | null,
  ): Promise<PublishOutcome>
}

export const MOST_EVENTS = 1_000
export const MOST_BYTES = 4 * 1024 * 1024
