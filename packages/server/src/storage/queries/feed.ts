import type { CallParams, CallResult } from '../callGroups.ts'
import type { StoredEvent } from '../rows.ts'
import type { EventPosition, FeedEvent } from '../storage.ts'
import { inDayOf, POSITIONS, positionValues } from './layout.ts'
import { hotWriteStatement, list, listInTransaction, type Queries } from './query.ts'
import { columns, either, type Fragment, joinEach, sql } from './sql.ts'
import { all, row, rows, type Work } from './work.ts'

/** Events looked at in one call when one type is wanted: some 3 ms. */
const MAX_LOOKED = 2_500
/** Newest events of a workspace that PostgreSQL looks at for those that no list of newest events has yet. */
const MAX_UNLISTED = 200
/** Events of each type and workspace that samples are made from. */
export const RECENT_EVENTS = 3

/** Bytes of bodies in one answer, unless its only event has more: a caller that does not read it keeps that much in memory. */
const MAX_PAGE_BYTES = 1024 * 1024
/** Bodies that are read at first, when it is not known how large they are. */
const FIRST_BODIES = 4

/** A position of one number comes from an embedded store that was moved here, where each number was one event's. */
const LAST_ID = Number.MAX_SAFE_INTEGER

export const EVENT_COLUMNS = `${columns('id type body createdAt', 'e')}, e.brought_id AS "broughtId"`

/** Where an event is in its workspace's feed: PostgreSQL goes by transactions, and in each by rows. */
const PLACE: Fragment = {
  sqlite: 'e.seq AS major, NULL AS minor',
  postgres: 'e.xact AS major, e.id AS minor',
}

const SELECT = sql`SELECT ${EVENT_COLUMNS}, ${PLACE}`

export const feedSql = {
  takeIds: sql`UPDATE store SET next_event_id = next_event_id + $1 RETURNING next_event_id - $1 AS first`,
  after: either({
    sqlite: `
      SELECT e.id, e.created_at AS "createdAt", e.type, ${PLACE.sqlite} FROM events e INDEXED BY events_feed
      WHERE e.workspace_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $4`,
    /** Events of later transactions than the oldest under way are left out: it may still store some that come before them. */
    postgres: `
      SELECT e.id, e.created_at AS "createdAt", e.type, ${PLACE.postgres} FROM events e
      WHERE e.workspace_id = $1 AND (e.xact, e.id) > ($2, $3)
        AND e.xact < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)
      ORDER BY e.xact, e.id LIMIT $4`,
  }),
  page: sql`${SELECT} FROM ${POSITIONS} ${joinEach('events', 'e', sql`e.id = x.id ${inDayOf('e')}`)}`,
  /** In whatever day it is. */
  byId: sql`${SELECT} FROM events e WHERE e.id = $2 AND e.workspace_id = $1`,
  byBroughtId: either({
    sqlite: `${SELECT.sqlite} FROM events e WHERE e.workspace_id = $1 AND e.brought_id = $2`,
    postgres: `
      ${SELECT.postgres} FROM brought_ids b JOIN events e ON e.id = b.event_id AND e.created_at = b.created_at
      WHERE b.workspace_id = $1 AND b.brought_id = $2`,
  }),
  seenTypes: sql`
    SELECT type FROM recent_events WHERE workspace_id = $1 GROUP BY type ORDER BY type LIMIT $2`,
  latest: either({
    sqlite: `
      SELECT ${EVENT_COLUMNS}
      FROM recent_events r JOIN events e ON e.id = r.event_id
      WHERE r.workspace_id = $1 AND r.type = $2 ORDER BY r.event_id DESC`,
    /** Nodes write the list of a type about once a second; later events are among the newest of the workspace. */
    postgres: `
      WITH places AS (
        SELECT event_id AS id, created_at FROM recent_events WHERE workspace_id = $1 AND type = $2
        UNION
        SELECT id, created_at FROM (
          SELECT e.id, e.created_at, e.type FROM events e WHERE e.workspace_id = $1 AND e.xact IS NOT NULL
          ORDER BY e.xact DESC, e.id DESC LIMIT ${MAX_UNLISTED}) newest
        WHERE type = $2)
      SELECT ${EVENT_COLUMNS} FROM places p JOIN events e ON e.id = p.id AND e.created_at = p.created_at
      ORDER BY e.created_at DESC, e.id DESC LIMIT ${RECENT_EVENTS}`,
  }),
}

interface Place {
  /** `null`: a test. */
  readonly major: number | null
  readonly minor: number | null
}

type FeedRow = StoredEvent & Place
type Entry = Pick<StoredEvent, 'id' | 'createdAt' | 'type'> & Place

export const feedQueries: Queries<
  'reserveEventIds' | 'listEvents' | 'getEvent' | 'latestEvents' | 'seenEventTypes'
> = {
  reserveEventIds: hotWriteStatement(function* ({ count }) {
    return (yield* row<{ readonly first: number }>(feedSql.takeIds, [count]))!.first
  }),
  listEvents: listInTransaction(feedReader()),
  getEvent: listInTransaction(function* ({ workspaceId, broughtId, rowId }) {
    const [brought, made] = yield* all(
      broughtId === null ? none() : row<FeedRow>(feedSql.byBroughtId, [workspaceId, broughtId]),
      rowId === null ? none() : row<FeedRow>(feedSql.byId, [workspaceId, rowId]),
    )
    const found = brought ?? made
    return found === undefined ? null : { ...toEvent(found), position: positionOf(found) }
  }),
  latestEvents: list(({ workspaceId, type }) => rows<StoredEvent>(feedSql.latest, [workspaceId, type])),
  seenEventTypes: list(function* ({ workspaceId, limit }) {
    const found = yield* rows<{ readonly type: string }>(feedSql.seenTypes, [workspaceId, limit])
    return found.map(({ type }) => type)
  }),
}

// biome-ignore lint/correctness/useYield: it asks for nothing
function* none(): Work<undefined> {
  return undefined
}

/**
 * On PostgreSQL, events that are stored while an older transaction is in progress, in any database of the server, appear once
 * that has ended.
 */
export function feedReader(
  maxLooked: number = MAX_LOOKED,
): (params: CallParams<'listEvents'>) => Work<CallResult<'listEvents'>> {
  return function* ({ workspaceId, eventTypes, after, limit, maxBytes = MAX_PAGE_BYTES }) {
    const most = eventTypes === null ? limit : maxLooked
    const [major, minor = LAST_ID] = after ?? [0, 0]
    const entries = yield* rows<Entry>(feedSql.after, [workspaceId, major!, minor, most + 1])
    const { found, last, more } = feedPage(entries, eventTypes, limit, most)
    const { events, isCut } = yield* withBodies(found, maxBytes)
    if (isCut) return { events, next: events.at(-1)!.position, more: true }
    return { events, next: last === null ? after : positionOf(last), more }
  }
}

/**
 * Reads the events of these entries, up to a number of bytes, and at least one. Events that were removed in the meantime are
 * left out.
 */
function* withBodies(
  found: readonly Entry[],
  maxBytes: number,
): Work<{ readonly events: readonly FeedEvent[]; readonly isCut: boolean }> {
  const events: FeedEvent[] = []
  let bytes = 0
  let count = FIRST_BODIES
  for (let read = 0; read < found.length; ) {
    const entries = found.slice(read, read + count)
    const page = yield* rows<FeedRow>(feedSql.page, positionValues(entries))
    const byId = new Map(page.map((event) => [event.id, event]))
    for (const { id } of entries) {
      const event = byId.get(id)
      if (event === undefined) continue
      bytes += Buffer.byteLength(event.body)
      if (events.length > 0 && bytes > maxBytes) return { events, isCut: true }
      events.push({ ...toEvent(event), position: positionOf(event)! })
    }
    read += entries.length
    // As many as may have room, if the others are as large as these.
    count = Math.max(1, Math.floor(((maxBytes - bytes) * events.length) / Math.max(1, bytes)))
  }
  return { events, isCut: false }
}

const toEvent = ({ major: _, minor: __, ...event }: FeedRow): StoredEvent => event

function positionOf({ major, minor }: Place): EventPosition | null {
  if (major === null) return null
  return minor === null ? [major] : [major, minor]
}

/** What a reader of a feed gets of a call. */
interface FeedPage<Entry> {
  readonly found: readonly Entry[]
  /** The last event that was looked at. */
  readonly last: Entry | null
  readonly more: boolean
}

/**
 * @param entries the next entries; read one more than is looked at, which shows whether there are more
 * @param most how many to look at
 */
function feedPage<Entry extends { readonly type: string }>(
  entries: Iterable<Entry>,
  eventTypes: readonly string[] | null,
  limit: number,
  most: number,
): FeedPage<Entry> {
  const found: Entry[] = []
  let last: Entry | null = null
  let looked = 0
  for (const entry of entries) {
    if (found.length === limit || looked === most) return { found, last, more: true }
    looked++
    last = entry
    if (eventTypes === null || eventTypes.includes(entry.type)) found.push(entry)
  }
  return { found, last, more: false }
}
