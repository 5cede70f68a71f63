import type { AdsEventToPublish } from '../ads/types.ts'
import type { ContentEventToPublish } from '../content/types.ts'

/** An event of any service, as `POST …/events` of its workspace takes it. */
export interface AnyEventToPublish {
  readonly type: string
  readonly id?: string
  readonly [member: string]: unknown
}

/** The default: an event of any service, whose data are not checked. */
export type EventToEmit = AdsEventToPublish | ContentEventToPublish | AnyEventToPublish

export interface OutboxOptions {
  /** The schema that `posthorn outbox sql --schema` was given; by default `posthorn`. */
  readonly schema?: string
}

/**
 * Emits events within the caller's transaction: they are published if it commits, and never if it rolls back.
 *
 * @typeParam Transaction what a query runs on
 * @typeParam Event the type of the events, such as {@link AdsEventToPublish}
 */
export interface Outbox<Transaction, Event> {
  /**
   * @param workspace the slug or id for which the relay has a key
   * @returns the id of the event, also when it brings none
   */
  emit(transaction: Transaction, workspace: string, event: Event): Promise<string>
  /** Emits several in one statement. @returns their ids, in the same order */
  emitMany(transaction: Transaction, workspace: string, events: readonly Event[]): Promise<string[]>
}
