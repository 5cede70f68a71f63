import type { DeliveryPosition } from '../storage.ts'
import { isNewer } from '../storage.ts'
import type { EventMatches, FoundEvent } from './eventMatches.ts'
import { each, type Fragment } from './sql.ts'
import { rowsOfEach, type Work } from './work.ts'

/** What a search looks at, newest first. */
export interface Candidates {
  /** @returns the next `count`; fewer: these are the last */
  next(count: number): Work<readonly DeliveryPosition[]>
  /** Where to go on once it has no more, since it looked at no more than it may; `null`: it looked at all. */
  readonly stoppedAt: DeliveryPosition | null
}

/** @param positions newest first */
export function listed(positions: readonly DeliveryPosition[]): Candidates {
  const left = [...positions]
  return {
    stoppedAt: null,
    // biome-ignore lint/correctness/useYield: nothing is left to ask for
    *next(count) {
      return left.splice(0, count)
    },
  }
}

/** One after the other: all of the first are newer than those of the second. */
export function chained(first: Candidates, second: Candidates): Candidates {
  return {
    stoppedAt: null,
    *next(count) {
      const found = yield* first.next(count)
      if (found.length === count) return found
      return [...found, ...(yield* second.next(count - found.length))]
    },
  }
}

/** Some, and with them a few that others may have as well. @param few newest first */
export function withFew(few: readonly DeliveryPosition[], others: Candidates): Candidates {
  if (few.length === 0) return others
  const known = new Set(few.map(({ id }) => id))
  const left = [...few]
  let waiting: DeliveryPosition[] = []
  return {
    stoppedAt: null,
    *next(count) {
      const found: DeliveryPosition[] = []
      while (found.length < count) {
        if (waiting.length === 0) waiting = (yield* others.next(count)).filter(({ id }) => !known.has(id))
        const [one, other] = [left[0], waiting[0]]
        if (one === undefined && other === undefined) break
        const isFew = other === undefined || (one !== undefined && isNewer(one, other))
        found.push((isFew ? left : waiting).shift()!)
      }
      return found
    },
  }
}

const LAST_ID = Number.MAX_SAFE_INTEGER

/** Of each event: those of some webhooks, with ids below a bound. */
export const deliveriesOfEvent = each({ id: 'bigint', created_at: 'bigint', below: 'bigint' }, {
  /** They have consecutive ids, but for those that were added. One upper bound: of two, SQLite would seek by the one that lets more in. */
  sqlite: `
    SELECT d.id, d.created_at AS "createdAt"
    FROM events e
      CROSS JOIN deliveries d
        ON d.id >= e.first_delivery_id AND d.id < min(e.first_delivery_id + e.delivery_count, x.below)
      CROSS JOIN webhooks w ON w.id = d.webhook_id
    WHERE e.id = x.id AND e.workspace_id = $3 AND w.deleted_at IS NULL AND d.webhook_id >= $4 AND d.webhook_id <= $5
    UNION ALL
    SELECT a.delivery_id, d.created_at
    FROM added_deliveries a
      CROSS JOIN deliveries d ON d.id = a.delivery_id
      CROSS JOIN webhooks w ON w.id = d.webhook_id
    WHERE a.event_id = x.id AND a.delivery_id < x.below AND w.workspace_id = $3 AND w.deleted_at IS NULL
      AND d.webhook_id >= $4 AND d.webhook_id <= $5
    ORDER BY 1 DESC LIMIT $6`,
  /** One of a webhook at most, among those that it got in the same millisecond. */
  postgres: `
    SELECT d.id, d.created_at AS "createdAt"
    FROM webhooks w CROSS JOIN LATERAL (
      SELECT id, created_at FROM deliveries
      WHERE webhook_id = w.id AND created_at = x.created_at AND id < x.below AND event_id = x.id OFFSET 0) d
    WHERE w.workspace_id = $3 AND w.deleted_at IS NULL AND w.id >= $4 AND w.id <= $5
    ORDER BY d.id DESC LIMIT $6`,
} satisfies Fragment)

export interface OfEvents {
  readonly workspaceId: number
  readonly webhookId: number | null
  /** Exclusive. */
  readonly before: DeliveryPosition
  /** Deliveries of one event, at most. */
  readonly most: number
}

/** @returns the deliveries of some events, newest first */
export function* deliveriesOf(
  events: readonly FoundEvent[],
  { workspaceId, webhookId, before, most }: OfEvents,
): Work<DeliveryPosition[]> {
  const asked = events.map(({ id, createdAt }) => ({
    id,
    created_at: createdAt,
    below: createdAt === before.createdAt ? before.id : LAST_ID,
  }))
  const values = [workspaceId, webhookId ?? 0, webhookId ?? LAST_ID, most]
  const found = yield* rowsOfEach<DeliveryPosition>(deliveriesOfEvent, asked, null, values)
  return found.flat().sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** How many events are read in one statement, at first and at most. */
const EVENTS_AT_ONCE = { first: 32, most: 256 }

/** @param mostEvents to look at */
export function ofMatches(matches: EventMatches, of: OfEvents, mostEvents: number): Candidates {
  let read: DeliveryPosition[] = []
  let size = EVENTS_AT_ONCE.first
  let looked = 0
  let stoppedAt: DeliveryPosition | null = null
  let ended = false
  return {
    get stoppedAt() {
      return stoppedAt
    },
    *next(count) {
      while (read.length < count && !ended) {
        const events = yield* matches.next(size)
        looked += events.length
        read = [...read, ...(yield* deliveriesOf(events, of))]
        if (events.length < size) {
          ended = true
          stoppedAt = matches.stoppedAt
        } else if (looked >= mostEvents) {
          ended = true
          // All of that millisecond were looked at.
          stoppedAt = { createdAt: events.at(-1)!.createdAt, id: 0 }
        }
        size = Math.min(size * 2, EVENTS_AT_ONCE.most)
      }
      return read.splice(0, count)
    },
  }
}
