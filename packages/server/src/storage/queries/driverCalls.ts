import type { MatchSets } from '../fanout.ts'
import type { ChangeParams, ChangeResult, ChangeVerb } from '../storage.ts'

/** Workspaces whose turn was last, by the work in which they take turns, for the caller to move on; and sets of webhooks. */
export interface Memory {
  replays: number
  fanouts: number
  readonly matchSets: MatchSets
}

/** A delivery of an event that was acknowledged before. */
export interface ToMake {
  readonly eventId: number
  /** Of the event; `null`: SQLite has it with the event alone. */
  readonly createdAt: number | null
  /** Of the webhook in the event's set. */
  readonly position: number
  readonly webhookId: number
  /** `null`: it is pending. */
  readonly canceledAt: number | null
}

/** What queries need of their store and each driver does in its own way. */
export interface DriverCalls {
  /**
   * Until the transaction ends, nothing is published to these workspaces: what is published before goes by what their
   * webhooks were, and what is published afterwards by what they are then.
   */
  excludePublishes(workspaceIds: readonly number[]): void
  /** The set of webhooks that are on, or a version of one, is another from this commit on. The caller excludes publishes. */
  matchingChanged(workspaceIds: readonly number[]): void
  /**
   * One removal of people after another: an address that has left another workspace meanwhile may be known to none. It comes
   * before {@link excludePublishes}.
   */
  removePeople(): void
  /** One link for an address after another, since they are counted. */
  countSignInLinks(email: string): void
  /** One call under an idempotency key after another: one that is under way is waited for. */
  useIdempotencyKey(scope: string, key: string): void
  /** Work that one node at a time does, until the transaction ends. @returns false when another node is at it */
  tryAlone(work: 'figures' | 'replays' | 'cancel'): boolean
  /** Carries out another call within the same transaction. */
  carryOut(verb: ChangeVerb, params: ChangeParams<ChangeVerb>): ChangeResult<ChangeVerb>
  /** Until the transaction ends, no webhook of these workspaces is switched on or off. */
  keepWebhooks(workspaceIds: readonly number[]): void
  /** One manual send of a workspace after another, since they are counted. */
  countManualSends(workspaceId: number): void
  /** What this process remembers from call to call. */
  memory(): Memory
  /** Makes deliveries of events that were acknowledged before. */
  makeDeliveries(deliveries: readonly ToMake[]): void
}
