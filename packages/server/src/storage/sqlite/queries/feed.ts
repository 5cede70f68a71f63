import { feedPage } from '../../feedPage.ts'
import { EVENT_COLUMNS, type EventRow, toEvent } from '../../rowMappers/events.ts'
import type { Connection } from '../connection.ts'
import { listing } from '../kinds.ts'
import type { VerbParams, VerbResult, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

/** Events looked at in one call when one type is wanted: some 3 ms. */
const MAX_LOOKED = 2_500

export const feedSql = {
  after: `
    SELECT e.id, e.seq, e.type FROM events e INDEXED BY events_feed
    WHERE e.workspace_id = ? AND e.seq > ? ORDER BY e.seq LIMIT ?`,
  byId: `SELECT ${EVENT_COLUMNS}, e.seq FROM events e WHERE e.workspace_id = ? AND e.id = ?`,
  byBroughtId: `SELECT ${EVENT_COLUMNS}, e.seq FROM events e WHERE e.workspace_id = ? AND e.brought_id = ?`,
  latest: `
    SELECT ${EVENT_COLUMNS}
    FROM recent_events r JOIN events e ON e.id = r.event_id
    WHERE r.workspace_id = ? AND r.type = ? ORDER BY r.event_id DESC`,
}

interface FeedRow extends EventRow {
  /** `null`: a test. */
  readonly seq: number | null
}

interface Entry {
  readonly id: number
  readonly seq: number
  readonly type: string
}

export function feedVerbs({ db }: Store): Pick<VerbTable, 'listEvents' | 'getEvent' | 'latestEvents'> {
  const byId = db.prepare<[number, number], FeedRow>(feedSql.byId)
  const byBroughtId = db.prepare<[number, string], FeedRow>(feedSql.byBroughtId)
  const latest = db.prepare<[number, string], EventRow>(feedSql.latest)
  return {
    listEvents: listing(feedReader(db)),
    getEvent: listing(({ workspaceId, broughtId, rowId }) => {
      const brought = broughtId === null ? undefined : byBroughtId.get(workspaceId, broughtId)
      const row = brought ?? (rowId === null ? undefined : byId.get(workspaceId, rowId))
      return row === undefined ? null : { ...toEvent(row), position: row.seq === null ? null : [row.seq] }
    }),
    latestEvents: listing(({ workspaceId, type }) => latest.all(workspaceId, type).map(toEvent)),
  }
}

/** @returns a reader of feeds, whose positions hold one number: the event's place. */
export function feedReader(
  db: Connection,
  maxLooked: number = MAX_LOOKED,
): (params: VerbParams<'listEvents'>) => VerbResult<'listEvents'> {
  const after = db.prepare<[number, number, number], Entry>(feedSql.after)
  const byId = db.prepare<[number, number], FeedRow>(feedSql.byId)

  return ({ workspaceId, eventType, after: position, limit }) => {
    const most = eventType === null ? limit : maxLooked
    const entries = after.iterate(workspaceId, position?.[0] ?? 0, most + 1)
    const { found, last, more } = feedPage(entries, eventType, limit, most)
    const events = found.map(({ id, seq }) => ({ ...toEvent(byId.get(workspaceId, id)!), position: [seq] }))
    return { events, next: last === null ? position : [last.seq], more }
  }
}
