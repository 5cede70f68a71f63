/** A named place in the feed of events, and what lies behind it. */
export interface Consumer {
  readonly name: string
  /** `null`: all. */
  readonly eventTypes: readonly string[] | null
  readonly createdAt: string
  readonly acknowledgedAt: string | null
  /** When it was last moved. */
  readonly movedAt: string | null
  /** Events that were removed before they were acknowledged. */
  readonly gap: { readonly events: number; readonly noticedAt: string } | null
  readonly lag: Lag
}

interface Lag {
  /** Of its types, not acknowledged. */
  readonly events: number
  /** Whether more than those that were counted may wait. */
  readonly hasMore: boolean
  /** When the first of them was accepted. */
  readonly oldestAt: string | null
}

/**
 * Where a consumer is in the feed. `passing`: events of other types come first, and some of its own may follow.
 */
export type ConsumerPlace = 'current' | 'waiting' | 'passing'

export function placeOf({ oldestAt, hasMore }: Lag): ConsumerPlace {
  if (oldestAt !== null) return 'waiting'
  return hasMore ? 'passing' : 'current'
}

/** From this share of the retention on, waiting events are shown to be in danger. */
const LATE_SHARE = 0.75

/** Whether the first event that waits is removed soon. @param now Unix ms */
export function isLosingSoon({ oldestAt }: Lag, retentionS: number, now: number): boolean {
  return oldestAt !== null && now - Date.parse(oldestAt) > LATE_SHARE * retentionS * 1_000
}

/** How a place in the feed can be named. */
export type StartKind = 'now' | 'oldest' | 'since' | 'after'

/** A place in the feed as a form asks for it. */
export interface StartDraft {
  readonly kind: StartKind
  /** In the viewer's zone, as `<input type="datetime-local">` holds it. */
  readonly since: string
  /** Id of an event. */
  readonly after: string
}

export type ConsumerStart =
  | { readonly start: 'now' | 'oldest' }
  | { readonly since: string }
  | { readonly after: string }
