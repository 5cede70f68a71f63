import type { DeliveryStatus } from '../../core/delivery.ts'
import type { StatusCodes } from '../../core/statusCodes.ts'
import type { DeliveryRecord, SentRequest, StoredEvent } from '../rows.ts'

/** A position in a list of deliveries, which is ordered by time and then by row. */
export interface DeliveryPosition {
  readonly createdAt: number
  readonly id: number
}

/** The order of lists of deliveries. */
export function isNewer(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** `null`: no filter. */
export interface DeliveryFilter {
  readonly workspaceId: number
  readonly webhookId: number | null
  readonly status: DeliveryStatus | null
  /** The event has one of these types. */
  readonly eventTypes: readonly string[] | null
  readonly text: TextQuery | null
  /** Only this delivery. */
  readonly deliveryId: number | null
  /** Status code of the latest attempt; deliveries without an attempt have none. */
  readonly statusCodes: StatusCodes | null
  /** Only deliveries of one event: its row, and its creation time. */
  readonly event: Pick<StoredEvent, 'id' | 'createdAt'> | null
  /** Created at this time or later. */
  readonly from: number | null
  /** Created before this time. */
  readonly to: number | null
}

/** Words that an event must all contain. */
export interface TextQuery {
  readonly words: readonly string[]
  /** Members of the body that are searched; see {@link SearchableMembers}. */
  readonly members: readonly string[]
}

/** The results of an event's deliveries. */
export interface DeliveryCounts {
  readonly pending: number
  readonly delivered: number
  /** Failed or dead. */
  readonly failed: number
  readonly canceled: number
}

/** A position in a workspace's feed of events, in numbers that only the store understands. */
export type EventPosition = readonly number[]

/**
 * Whether a position is later in the feed than another. A position with a single number is after all positions that begin with
 * it.
 */
export function isAhead(
  [major, minor = Number.MAX_SAFE_INTEGER]: EventPosition,
  [otherMajor, otherMinor = Number.MAX_SAFE_INTEGER]: EventPosition,
): boolean {
  return major === otherMajor ? minor > otherMinor : major! > otherMajor!
}

/** The events that a webhook missed. */
export interface MissedEvents {
  readonly count: number
  /** Whether there are, or may be, more. */
  readonly more: boolean
  /** By type, highest count first. */
  readonly types: readonly { readonly type: string; readonly count: number }[]
  /** The position in the feed before the first of them; `null`: there are none. */
  readonly before: EventPosition | null
}

export interface FeedEvent extends StoredEvent {
  readonly position: EventPosition
}

/** The reads that people make of deliveries and events. */
export interface LogReads {
  /**
   * Deliveries of webhooks that are not deleted, newest first. One call looks at a bounded number of rows, so that a filter
   * with few matches delays no other call. It may find fewer than `limit`, even none, and still have more.
   */
  searchDeliveries(params: DeliveryFilter & { limit: number; before: DeliveryPosition | null }): Promise<{
    readonly deliveries: readonly DeliveryRecord[]
    /** Position of the next page; `null`: that was the last one. */
    readonly next: DeliveryPosition | null
    /** Later changes are not included yet; `null`: everything is. */
    readonly reachesUntil: number | null
  }>
  getDelivery(params: { workspaceId: number; deliveryId: number }): Promise<DeliveryRecord | null>
  /** The inputs of the requests of the attempts in the delivery's record, oldest first. */
  getSentRequests(params: { workspaceId: number; deliveryId: number }): Promise<readonly SentRequest[]>

  /**
   * Events of a workspace in the order in which they were stored, without tests. An event that is stored later never comes
   * before one that was returned, so a reader who continues from the last position misses none. An event may appear a moment
   * after its publish was answered: once all writes that were in progress then have ended.
   * @param params.maxBytes limit of the bodies in the result, unless its only event has more; default 1 MiB
   */
  listEvents(params: {
    workspaceId: number
    eventTypes: readonly string[] | null
    /** `null`: from the oldest event. */
    after: EventPosition | null
    limit: number
    maxBytes?: number
  }): Promise<{
    readonly events: readonly FeedEvent[]
    /** Position to continue from, now or later; `null`: from the start. */
    readonly next: EventPosition | null
    /** Whether there is more now. */
    readonly more: boolean
  }>
  /**
   * Events of a workspace, newest first, without tests. `before` is the position of an event. A call may find fewer than
   * `limit` and still have more.
   */
  searchEvents(params: {
    workspaceId: number
    eventTypes: readonly string[] | null
    text: TextQuery | null
    /** Only this event; it must belong to the workspace. */
    event: Pick<StoredEvent, 'id' | 'createdAt'> | null
    from: number | null
    to: number | null
    limit: number
    before: DeliveryPosition | null
  }): Promise<{
    readonly events: readonly StoredEvent[]
    /** One for each of `events`; `null`: the workspace has too many webhooks to count. */
    readonly counts: readonly (DeliveryCounts | null)[]
    readonly next: DeliveryPosition | null
    /** Later events are not included yet; `null`: everything is. */
    readonly reachesUntil: number | null
  }>
  /** Finds an event by the id that its publisher gave it or, failing that, by its row. `position` is `null` for a test. */
  getEvent(params: {
    workspaceId: number
    broughtId: string | null
    rowId: number | null
  }): Promise<(StoredEvent & { readonly position: EventPosition | null }) | null>
  /** The newest events of a type, newest first. At most 3 are available. */
  latestEvents(params: { workspaceId: number; type: string }): Promise<readonly StoredEvent[]>
  /** Types of stored events, by name, up to a limit. On PostgreSQL a new type appears after about a second. */
  seenEventTypes(params: { workspaceId: number; limit: number }): Promise<readonly string[]>

  /**
   * The events of these types that a webhook missed while it was off or paused or its workspace was suspended. Looks at 10,000
   * events of the workspace at most, the oldest of that time.
   * @param params.eventTypes empty: every type
   * @param params.from only events that were published at this time or later; `null`: from the oldest
   * @param params.to only events that were published before this time; `null`: up to the newest
   */
  countMissed(params: {
    workspaceId: number
    webhookId: number
    eventTypes: readonly string[]
    from: number | null
    to: number | null
  }): Promise<MissedEvents>
  /**
   * The events that the webhook missed the last time it was stopped (off, paused or in a suspended workspace), and before.
   * Looks at 10,000 events at most, those of the last time first.
   * @param params.from only stops that ended at this time or later
   * @returns `null`: it was never stopped since
   */
  missedOf(params: {
    workspaceId: number
    webhookId: number
    eventTypes: readonly string[]
    from: number
  }): Promise<{
    /** Overlapping stops are merged. `endedAt` is `null` while it is stopped. */
    readonly last: MissedEvents & { readonly beganAt: number; readonly endedAt: number | null }
    /** `null`: there was only one stop. */
    readonly earlier: (MissedEvents & { readonly beganAt: number }) | null
  } | null>
}
