/** A consumer: a named position in the feed of events. */
export interface Consumer {
  readonly name: string
  /** `null`: all. */
  readonly eventTypes: readonly string[] | null
  readonly createdAt: string
  readonly acknowledgedAt: string | null
  /** When it was last moved. */
  readonly movedAt: string | null
  /** Events removed before they were acknowledged. */
  readonly gap: { readonly events: number; readonly noticedAt: string } | null
  readonly lag: Lag
}

interface Lag {
  /** Unacknowledged events of its types. */
  readonly events: number
  /** Whether there may be more than were counted. */
  readonly hasMore: boolean
  /** When the oldest of them was accepted. */
  readonly oldestAt: string | null
}

/**
 * Position of a consumer in the feed. `passing`: the next events are of other types, and its own may follow.
 */
export type ConsumerPlace = 'current' | 'waiting' | 'passing'

export function placeOf({ oldestAt, hasMore }: Lag): ConsumerPlace {
  if (oldestAt !== null) return 'waiting'
  return hasMore ? 'passing' : 'current'
}

/** Events waiting for longer than this share of the retention period are at risk. */
const LATE_SHARE = 0.75

/** Whether the oldest waiting event will be removed soon. @param now Unix ms */
export function isLosingSoon({ oldestAt }: Lag, retentionS: number, now: number): boolean {
  return oldestAt !== null && now - Date.parse(oldestAt) > LATE_SHARE * retentionS * 1_000
}

/** Ways to specify a position in the feed. */
export type StartKind = 'now' | 'oldest' | 'since' | 'after'

/** Form input for a position in the feed. */
export interface StartDraft {
  readonly kind: StartKind
  /** Value of `<input type="datetime-local">`, in the viewer's time zone. */
  readonly since: string
  /** Id of an event. */
  readonly after: string
}

export type ConsumerStart =
  | { readonly start: 'now' | 'oldest' }
  | { readonly since: string }
  | { readonly after: string }
