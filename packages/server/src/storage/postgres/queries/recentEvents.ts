import type { Clock } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { RECENT_EVENTS } from '../../queries/feed.ts'
import type { EventToStore } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import { numbers, texts } from '../values.ts'

/** The newest events of busy types are found in the feed as well. */
const REFRESH_AFTER_MS = SECOND_MS
const MAX_REMEMBERED = 50_000

export const recentSql = {
  /** Skips rows that another publish is about to delete as well. */
  trim: `
    DELETE FROM recent_events WHERE ctid = ANY (ARRAY(
      SELECT old.ctid
      FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[]) AS u (workspace_id, type)) x
      CROSS JOIN LATERAL (
        SELECT ctid FROM recent_events WHERE workspace_id = x.workspace_id AND type = x.type
        ORDER BY created_at DESC, event_id DESC OFFSET ${RECENT_EVENTS} FOR UPDATE SKIP LOCKED) old))`,
}

/** Events to list as the newest of their types. */
export interface Due {
  readonly events: readonly EventToStore[]
  /** Their types and workspaces, in the spelling of this process. */
  readonly names: Iterable<string>
  /** Monotonic time at which they were due. */
  readonly at: number
}

/**
 * Lists the newest events of each type, at most about once a second each. The statement that stores events also lists them, so
 * that none is listed that was not stored.
 */
export class RecentEvents {
  readonly #clock: Clock
  /** When each type of each workspace was last written. */
  readonly #written = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param events new ones, in order @returns those of them to list */
  due(events: readonly EventToStore[]): Due {
    const at = this.#clock.monotonic()
    const newest = new Map<string, EventToStore[]>()
    for (const event of events) {
      const name = nameOf(event)
      if (at - (this.#written.get(name) ?? Number.NEGATIVE_INFINITY) < REFRESH_AFTER_MS) continue
      const of = newest.get(name) ?? []
      of.push(event)
      if (of.length > RECENT_EVENTS) of.shift()
      newest.set(name, of)
    }
    return { events: [...newest.values()].flat(), names: newest.keys(), at }
  }

  /** Shortens the lists with these events. Call it after the statement that lists them. */
  async trim(tx: Tx, { events }: Due): Promise<void> {
    if (events.length === 0) return
    await tx.run(recentSql.trim, [
      numbers(events.map((event) => event.workspaceId)),
      texts(events.map((event) => event.type)),
    ])
  }

  /** These have been listed, as of a commit. */
  listed({ names, at }: Due): void {
    if (this.#written.size > MAX_REMEMBERED) this.#written.clear()
    for (const name of names) this.#written.set(name, at)
  }
}

const nameOf = ({ workspaceId, type }: EventToStore): string => `${workspaceId} ${type}`
