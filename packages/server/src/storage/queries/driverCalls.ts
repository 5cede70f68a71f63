import { BoundedMap } from '../../core/boundedMap.ts'
import type { MatchSets } from '../fanout.ts'
import type { ChangeName, ChangeParams, ChangeResult } from '../storage.ts'

/** The workspace whose turn was last, for each kind of work, which the caller updates; and sets of webhooks. */
export interface Memory {
  replays: number
  fanouts: number
  /** When the share of failed deliveries of a webhook is looked at next, by webhook; Unix ms. */
  readonly shareChecks: BoundedMap<number, number>
  readonly matchSets: MatchSets
}

/** A delivery of an event that was acknowledged before. */
export interface ToMake {
  readonly eventId: number
  /** Creation time of the event; `null`: SQLite stores it only with the event. */
  readonly createdAt: number | null
  /** Of the webhook in the event's set. */
  readonly position: number
  readonly webhookId: number
  /** `null`: it is pending. */
  readonly canceledAt: number | null
}

/** Webhooks whose share of failed deliveries is remembered to be looked at. */
const MAX_SHARE_CHECKS = 10_000

export const newMemory = (matchSets: MatchSets): Memory => ({
  replays: 0,
  fanouts: 0,
  shareChecks: new BoundedMap(MAX_SHARE_CHECKS),
  matchSets,
})

/** What shared queries need and each driver does in its own way. */
export interface DriverCalls {
  /**
   * Until the transaction ends, nothing is published to these workspaces: earlier publishes see their webhooks as they were, later
   * ones as they are then.
   */
  excludePublishes(workspaceIds: readonly number[]): void
  /** From this commit on, the set of webhooks that are on has changed, or a version of one. The caller excludes publishes. */
  matchingChanged(workspaceIds: readonly number[]): void
  /**
   * Lets one removal of people run at a time: each must see whether the address has left its other workspaces. It comes before
   * {@link excludePublishes}.
   */
  removePeople(): void
  /** Lets one link for an address be made at a time, since they are counted. */
  countSignInLinks(email: string): void
  /** Lets one call under an idempotency key run at a time: waits for one that is under way. */
  useIdempotencyKey(scope: string, key: string): void
  /** Lets one node at a time do this work, until the transaction ends. @returns false if another node is doing it */
  tryAlone(work: 'stats' | 'replays' | 'cancel' | 'search' | 'alerts'): boolean
  /** Carries out another call within the same transaction. */
  carryOut(call: ChangeName, params: ChangeParams<ChangeName>): ChangeResult<ChangeName>
  /** Until the transaction ends, no webhook of these workspaces is enabled or disabled. */
  keepWebhooks(workspaceIds: readonly number[]): void
  /** Lets one manual send of a workspace run at a time, since they are counted. */
  countManualSends(workspaceId: number): void
  /** What this process remembers from call to call. */
  memory(): Memory
  /** Makes deliveries of events that were acknowledged before. */
  makeDeliveries(deliveries: readonly ToMake[]): void
}
