import type { Clock } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import type { EventToStore } from '../../storage.ts'
import { numbers, texts } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

/** Events of each type and workspace that samples are made from. */
export const RECENT_EVENTS = 3
/** The newest of busy types are found in the feed as well. */
const REFRESH_AFTER_MS = SECOND_MS
const MAX_REMEMBERED = 50_000

export const recentSql = {
  add: `
    INSERT INTO recent_events (workspace_id, type, created_at, event_id)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) ON CONFLICT DO NOTHING`,
  /** Whatever another publish is about to trim as well is left to it. */
  trim: `
    DELETE FROM recent_events WHERE ctid = ANY (ARRAY(
      SELECT old.ctid
      FROM (SELECT DISTINCT * FROM unnest($1::bigint[], $2::text[]) AS u (workspace_id, type)) x
      CROSS JOIN LATERAL (
        SELECT ctid FROM recent_events WHERE workspace_id = x.workspace_id AND type = x.type
        ORDER BY created_at DESC, event_id DESC OFFSET ${RECENT_EVENTS} FOR UPDATE SKIP LOCKED) old))`,
}

/** Keeps the newest events of each type at hand, at most about once a second each. */
export class RecentEvents {
  readonly #clock: Clock
  /** When each type of each workspace was last written. */
  readonly #written = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether {@link write} would write any of these. */
  wants(events: readonly EventToStore[]): boolean {
    const now = this.#clock.monotonic()
    return events.some((event) => this.#isDue(nameOf(event), now))
  }

  async write(tx: Tx, events: readonly EventToStore[]): Promise<void> {
    const now = this.#clock.monotonic()
    const newest = new Map<string, EventToStore[]>()
    for (const event of events) {
      const name = nameOf(event)
      if (!this.#isDue(name, now)) continue
      const of = newest.get(name) ?? []
      of.push(event)
      if (of.length > RECENT_EVENTS) of.shift()
      newest.set(name, of)
    }
    if (newest.size === 0) return
    const rows = [...newest.values()].flat()
    const workspaces = numbers(rows.map((event) => event.workspaceId))
    const types = texts(rows.map((event) => event.type))
    tx.onCommit(() => this.#remember(newest.keys(), now))
    await Promise.all([
      tx.run(recentSql.add, [
        workspaces,
        types,
        numbers(rows.map((event) => event.createdAt)),
        numbers(rows.map((event) => event.id)),
      ]),
      tx.run(recentSql.trim, [workspaces, types]),
    ])
  }

  #isDue(name: string, now: number): boolean {
    return now - (this.#written.get(name) ?? Number.NEGATIVE_INFINITY) >= REFRESH_AFTER_MS
  }

  #remember(names: Iterable<string>, now: number): void {
    if (this.#written.size > MAX_REMEMBERED) this.#written.clear()
    for (const name of names) this.#written.set(name, now)
  }
}

const nameOf = ({ workspaceId, type }: EventToStore): string => `${workspaceId} ${type}`
