import { feedPage } from '../../feedPage.ts'
import { EVENT_COLUMNS, type EventRow, toEvent } from '../../rowMappers/events.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, snapshot, type VerbParams, type VerbResult, type VerbTable } from '../verb.ts'
import { placesOf } from './deliveryRecords.ts'
import { RECENT_EVENTS } from './recentEvents.ts'

/** Events looked at in one call when one type is wanted. */
const MAX_LOOKED = 2_500
/** Newest events of a workspace that are looked at for those that no list of newest events has yet. */
const MAX_UNLISTED = 200

/** A position of one number comes from an embedded store that was moved here, where each number was one event's. */
const LAST_ID = Number.MAX_SAFE_INTEGER

/** Events of later transactions than the oldest under way, which may still store some that come before them. */
const HORIZON = `
  (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)`

export const feedSql = {
  after: `
    SELECT e.id, e.xact, e.type, e.created_at FROM events e
    WHERE e.workspace_id = $1 AND (e.xact, e.id) > ($2, $3) AND e.xact < ${HORIZON}
    ORDER BY e.xact, e.id LIMIT $4`,
  /** In this order and within these times for the reasons that recordSql has. */
  page: `
    SELECT ${EVENT_COLUMNS}, e.xact
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS x (id, created_at, n)
      CROSS JOIN LATERAL (
        SELECT * FROM events
        WHERE id = x.id AND created_at = x.created_at AND created_at BETWEEN $3 AND $4 OFFSET 0) e
    ORDER BY x.n`,
  /** In whatever day it is. */
  byId: `SELECT ${EVENT_COLUMNS}, e.xact FROM events e WHERE e.id = $2 AND e.workspace_id = $1`,
  byBroughtId: `
    SELECT ${EVENT_COLUMNS}, e.xact
    FROM brought_ids b JOIN events e ON e.id = b.event_id AND e.created_at = b.created_at
    WHERE b.workspace_id = $1 AND b.brought_id = $2`,
  /** Nodes write the list of a type about once a second; what came since is among the newest of the workspace. */
  latest: `
    WITH places AS (
      SELECT event_id AS id, created_at FROM recent_events WHERE workspace_id = $1 AND type = $2
      UNION
      SELECT id, created_at FROM (
        SELECT e.id, e.created_at, e.type FROM events e WHERE e.workspace_id = $1 AND e.xact IS NOT NULL
        ORDER BY e.xact DESC, e.id DESC LIMIT ${MAX_UNLISTED}) newest
      WHERE type = $2)
    SELECT ${EVENT_COLUMNS} FROM places p JOIN events e ON e.id = p.id AND e.created_at = p.created_at
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${RECENT_EVENTS}`,
}

interface FeedRow extends EventRow {
  /** `null`: a test. */
  readonly xact: number | null
}

interface Entry {
  readonly id: number
  readonly xact: number
  readonly type: string
  readonly created_at: number
}

export function feedVerbs(_store: Store): Pick<VerbTable, 'listEvents' | 'getEvent' | 'latestEvents'> {
  return {
    listEvents: snapshot(feedReader()),
    getEvent: snapshot(async (tx, { workspaceId, broughtId, rowId }) => {
      const [brought, made] = await Promise.all([
        broughtId === null ? undefined : tx.row<FeedRow>(feedSql.byBroughtId, [workspaceId, broughtId]),
        rowId === null ? undefined : tx.row<FeedRow>(feedSql.byId, [workspaceId, rowId]),
      ])
      const row = brought ?? made
      return row === undefined ? null : { ...toEvent(row), position: positionOf(row) }
    }),
    latestEvents: reads(async (tx, { workspaceId, type }) =>
      (await tx.rows<EventRow>(feedSql.latest, [workspaceId, type])).map(toEvent),
    ),
  }
}

/**
 * @returns a reader of feeds, which must run in one snapshot. A position holds the event's transaction and its row. What
 * is stored while an older transaction is under way, of whatever database on the server, is shown once that has ended.
 */
export function feedReader(
  maxLooked: number = MAX_LOOKED,
): (tx: Tx, params: VerbParams<'listEvents'>) => Promise<VerbResult<'listEvents'>> {
  return async (tx, { workspaceId, eventType, after, limit }) => {
    const most = eventType === null ? limit : maxLooked
    const [xact, id = LAST_ID] = after ?? [0, 0]
    const entries = await tx.rows<Entry>(feedSql.after, [workspaceId, xact, id, most + 1])
    const { found, last, more } = feedPage(entries, eventType, limit, most)
    const rows = found.length === 0 ? [] : await tx.rows<FeedRow>(feedSql.page, placesOf(found.map(placeOf)))
    const events = rows.map((row) => ({ ...toEvent(row), position: positionOf(row)! }))
    return { events, next: last === null ? after : positionOf(last), more }
  }
}

const placeOf = ({ id, created_at: createdAt }: Entry) => ({ id, createdAt })

function positionOf({ xact, id }: Pick<FeedRow, 'xact' | 'id'>): number[] | null {
  return xact === null ? null : [xact, id]
}
