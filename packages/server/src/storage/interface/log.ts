import type { DeliveryStatus } from '../../core/delivery.ts'
import type { StatusCodes } from '../../core/statusCodes.ts'
import type { DeliveryRecord, SentRequest, StoredEvent } from '../rows.ts'

/** A place in a list of deliveries, which goes by time and then by row. */
export interface DeliveryPosition {
  readonly createdAt: number
  readonly id: number
}

/** The order of lists of deliveries. */
export function isNewer(a: DeliveryPosition, b: DeliveryPosition): boolean {
  return a.createdAt === b.createdAt ? a.id > b.id : a.createdAt > b.createdAt
}

/** `null` leaves a filter out. */
export interface DeliveryFilter {
  readonly workspaceId: number
  readonly webhookId: number | null
  readonly status: DeliveryStatus | null
  /** Of the event: one of these. */
  readonly eventTypes: readonly string[] | null
  readonly text: TextQuery | null
  /** This one alone. */
  readonly deliveryId: number | null
  /** Of the latest attempt; what was never tried has none. */
  readonly statusCodes: StatusCodes | null
  /** Whose deliveries: the event's row, and when it was made. */
  readonly event: Pick<StoredEvent, 'id' | 'createdAt'> | null
  /** Made at this time or later. */
  readonly from: number | null
  /** Made before this time. */
  readonly to: number | null
}

/** Words that an event must all have. */
export interface TextQuery {
  readonly words: readonly string[]
  /** Members of the body that words are looked for in; see {@link SearchableMembers}. */
  readonly members: readonly string[]
}

/** What became of an event's deliveries. */
export interface DeliveryCounts {
  readonly pending: number
  readonly delivered: number
  /** Failed or dead. */
  readonly failed: number
  readonly canceled: number
}

/** A place in a workspace's feed of events, in numbers that only the store understands. */
export type EventPosition = readonly number[]

/** Whether a place comes later in the feed than another. One of a single number comes behind all that begin with it. */
export function isAhead(
  [major, minor = Number.MAX_SAFE_INTEGER]: EventPosition,
  [otherMajor, otherMinor = Number.MAX_SAFE_INTEGER]: EventPosition,
): boolean {
  return major === otherMajor ? minor > otherMinor : major! > otherMajor!
}

/** What a webhook missed. */
export interface MissedEvents {
  readonly count: number
  /** Whether there are, or may be, more than that. */
  readonly more: boolean
  /** Most events first. */
  readonly types: readonly { readonly type: string; readonly count: number }[]
  /** The place in the feed before the first of them; `null`: there are none. */
  readonly before: EventPosition | null
}

export interface FeedEvent extends StoredEvent {
  readonly position: EventPosition
}

/** What people read about deliveries and events. */
export interface LogReads {
  /**
   * Deliveries of webhooks that are not deleted, newest first. One call looks at a bounded number of rows, so that a
   * filter that matches little delays no other call: it may find fewer than `limit`, even none, and still have more.
   */
  searchDeliveries(params: DeliveryFilter & { limit: number; before: DeliveryPosition | null }): Promise<{
    readonly deliveries: readonly DeliveryRecord[]
    /** Where to go on; `null`: all were looked at. */
    readonly next: DeliveryPosition | null
    /** What happened since is not looked at yet; `null`: everything is. */
    readonly reachesUntil: number | null
  }>
  getDelivery(params: { workspaceId: number; deliveryId: number }): Promise<DeliveryRecord | null>
  /** What the requests of the attempts in the delivery's record were made from, oldest first. */
  getSentRequests(params: { workspaceId: number; deliveryId: number }): Promise<readonly SentRequest[]>

  /**
   * Events of a workspace in the order in which they were stored, tests left out. An event that is stored later never
   * comes before one that was returned, so that a reader who continues from the last position misses none. An event may
   * appear a moment after its publish was answered: once all writes that were under way then have ended.
   * @param params.maxBytes of bodies in the answer, unless its only event has more; 1 MiB if left out
   */
  listEvents(params: {
    workspaceId: number
    eventTypes: readonly string[] | null
    /** `null`: from the oldest that is kept. */
    after: EventPosition | null
    limit: number
    maxBytes?: number
  }): Promise<{
    readonly events: readonly FeedEvent[]
    /** Where to go on, now or later; `null`: from the beginning. */
    readonly next: EventPosition | null
    /** Whether there is more now. */
    readonly more: boolean
  }>
  /**
   * Events of a workspace, newest first, tests left out. `before` is the place of an event. A call may find fewer than `limit` and
   * still have more.
   */
  searchEvents(params: {
    workspaceId: number
    eventTypes: readonly string[] | null
    text: TextQuery | null
    /** This one alone; it must be of the workspace. */
    event: Pick<StoredEvent, 'id' | 'createdAt'> | null
    from: number | null
    to: number | null
    limit: number
    before: DeliveryPosition | null
  }): Promise<{
    readonly events: readonly StoredEvent[]
    /** Of each, as many as `events`; `null`: too many webhooks to count. */
    readonly counts: readonly (DeliveryCounts | null)[]
    readonly next: DeliveryPosition | null
    /** What was published since is not looked at yet; `null`: everything is. */
    readonly reachesUntil: number | null
  }>
  /** Finds an event by the id its publisher gave it or, failing that, by its row. `position` is `null` for a test. */
  getEvent(params: {
    workspaceId: number
    broughtId: string | null
    rowId: number | null
  }): Promise<(StoredEvent & { readonly position: EventPosition | null }) | null>
  /** The newest events of a type, newest first. At most 3 are kept at hand. */
  latestEvents(params: { workspaceId: number; type: string }): Promise<readonly StoredEvent[]>
  /** Types of events that are kept, by name, at most so many. PostgreSQL knows of a new one after about a second. */
  seenEventTypes(params: { workspaceId: number; limit: number }): Promise<readonly string[]>

  /**
   * The events of these types that a webhook missed while it was off, paused or of a suspended workspace. At most 10,000
   * events of the workspace are looked at, the oldest of that time.
   * @param params.eventTypes none: of every type
   * @param params.from only what was published at this time or later; `null`: from the oldest
   * @param params.to only what was published before this time; `null`: to the newest
   */
  countMissed(params: {
    workspaceId: number
    webhookId: number
    eventTypes: readonly string[]
    from: number | null
    to: number | null
  }): Promise<MissedEvents>
  /**
   * What the webhook missed the last time that it was stopped (off, paused or of a suspended workspace), and before. At most 10,000 events are
   * looked at, those of the last time first.
   * @param params.from only times that ended at this time or later
   * @returns `null`: it was never stopped since
   */
  missedOf(params: {
    workspaceId: number
    webhookId: number
    eventTypes: readonly string[]
    from: number
  }): Promise<{
    /** Times that overlap are one. `endedAt` is `null` while it is stopped. */
    readonly last: MissedEvents & { readonly beganAt: number; readonly endedAt: number | null }
    /** `null`: it was stopped once. */
    readonly earlier: (MissedEvents & { readonly beganAt: number }) | null
  } | null>
}
