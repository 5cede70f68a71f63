import { type Term, termOfType, termOfWord } from '../../core/search/terms.ts'
import { pathsOf, wordsIn } from '../../core/search/words.ts'
import type { IndexEnd, IndexPart } from '../storage.ts'
import { inDayOf, POSITIONS, positionValues } from './layout.ts'
import { list, listInTransaction, type Queries, write } from './query.ts'
import { indexCodes } from './searchCodes.ts'
import { type EventToIndex, SearchSegments } from './searchSegments.ts'
import { either, isOneOf, joinEach, numberList, SKIP_LOCKED, sql, tableOf } from './sql.ts'
import { all, row, rows, run, type Work } from './work.ts'

/** As how many rows a workspace counts in a step: each has statements of its own. */
const WORKSPACE_ROWS = 30
/** Bytes of bodies that cost as much as one row. */
const BYTES_OF_ROW = 2048
/** Events of a workspace that are read in one statement. */
const MOST_EVENTS = 200
/** Bytes of bodies that are read in one statement, after the first. */
const MOST_BYTES = 512 * 1024
/** Bodies of one statement; few, since the step may end after any of them. */
const BODIES_AT_ONCE = 16
/** Tests of a workspace that are indexed in one step. */
const MOST_TESTS = 100
/** An event may be made a little earlier than one that was stored before it, by another node. */
const EARLIER_MS = 24 * 60 * 60 * 1000

const SIZE = 'octet_length(e.body) AS size'

export const searchIndexSql = {
  unindexed: either({
    sqlite: `
      SELECT w.id, EXISTS (
          SELECT 1 FROM events e INDEXED BY events_feed WHERE e.workspace_id = w.id AND e.seq > coalesce(p.major, 0))
        OR EXISTS (SELECT 1 FROM search_tests t WHERE t.workspace_id = w.id) AS behind
      FROM workspaces w LEFT JOIN search_progress p ON p.workspace_id = w.id
      WHERE w.id > $1 ORDER BY w.id LIMIT $2`,
    postgres: `
      SELECT w.id, EXISTS (
          SELECT 1 FROM events e WHERE e.workspace_id = w.id AND (e.xact, e.id) > (coalesce(p.major, 0), coalesce(p.minor, 0))
            AND e.created_at >= coalesce(p.reached_at, 0) - ${EARLIER_MS})
        OR EXISTS (SELECT 1 FROM search_tests t WHERE t.workspace_id = w.id) AS behind
      FROM workspaces w LEFT JOIN search_progress p ON p.workspace_id = w.id
      WHERE w.id > $1 ORDER BY w.id LIMIT $2`,
  }),
  begin: sql`
    INSERT INTO search_progress (workspace_id)
    SELECT id FROM workspaces WHERE id ${isOneOf('$1', 'bigint')} ON CONFLICT DO NOTHING`,
  ends: sql`
    SELECT w.id AS "workspaceId", w.dialect, coalesce(p.major, 0) AS major, coalesce(p.minor, 0) AS minor,
      coalesce(p.next_segment, 1) AS "nextSegment"
    FROM workspaces w LEFT JOIN search_progress p ON p.workspace_id = w.id
    WHERE w.id ${isOneOf('$1', 'bigint')} ORDER BY w.id`,
  /** Of workspaces that no other node is indexing. */
  take: sql`
    SELECT workspace_id AS "workspaceId", major, minor, next_segment AS "nextSegment"
    FROM search_progress WHERE workspace_id ${isOneOf('$1', 'bigint')} ORDER BY workspace_id ${SKIP_LOCKED}`,
  filled: sql`SELECT filled FROM search_segments WHERE workspace_id = $1 AND created_at = $2 AND segment = $3`,
  testsLeft: sql`SELECT count(*) AS count FROM search_tests WHERE event_id ${isOneOf('$1', 'bigint')}`,
  /** As in the feed: on PostgreSQL, an older transaction may still store some that come before later ones. */
  next: either({
    sqlite: `
      SELECT e.id, e.created_at AS "createdAt", e.type, ${SIZE}, e.seq AS major, 0 AS minor
      FROM events e INDEXED BY events_feed WHERE e.workspace_id = $1 AND e.seq > $2 AND $3 >= 0 ORDER BY e.seq LIMIT $4`,
    postgres: `
      SELECT e.id, e.created_at AS "createdAt", e.type, ${SIZE}, e.xact AS major, e.id AS minor
      FROM events e
      WHERE e.workspace_id = $1 AND (e.xact, e.id) > ($2, $3)
        AND e.xact < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)
      ORDER BY e.xact, e.id LIMIT $4`,
  }),
  tests: sql`
    SELECT e.id, e.created_at AS "createdAt", e.type, ${SIZE}
    FROM (SELECT event_id, created_at FROM search_tests WHERE workspace_id = $1 ORDER BY event_id LIMIT ${String(MOST_TESTS)}) t
    ${joinEach('events', 'e', { sqlite: 'e.id = t.event_id', postgres: 'e.id = t.event_id AND e.created_at = t.created_at' })}`,
  forgetTests: sql`DELETE FROM search_tests WHERE event_id ${isOneOf('$1', 'bigint')}`,
  bodies: sql`
    SELECT e.id, e.body FROM ${POSITIONS} ${joinEach('events', 'e', sql`e.id = x.id ${inDayOf('e')}`)}`,
  keepSegments: sql`
    INSERT INTO search_segments AS s (workspace_id, segment, created_at, first_at, last_at, filled)
    SELECT workspace_id, segment, created_at, first_at, last_at, filled FROM ${tableOf('x', '$1', {
      workspace_id: 'bigint',
      segment: 'bigint',
      created_at: 'bigint',
      first_at: 'bigint',
      last_at: 'bigint',
      filled: 'bigint',
    })} WHERE true
    ON CONFLICT ${either({ sqlite: '(workspace_id, segment)', postgres: '(workspace_id, segment, created_at)' })} DO UPDATE SET
      first_at = ${either({ sqlite: 'min', postgres: 'least' })}(s.first_at, excluded.first_at),
      last_at = ${either({ sqlite: 'max', postgres: 'greatest' })}(s.last_at, excluded.last_at), filled = excluded.filled`,
  addEvents: either({
    sqlite: `
      INSERT INTO search_events (workspace_id, segment, ordinal, event_id, event_at, test)
      SELECT $1, value ->> 'segment', value ->> 'ordinal', value ->> 'id', value ->> 'at', value ->> 'test' FROM json_each($2)`,
    postgres: `
      INSERT INTO search_events (workspace_id, segment, ordinal, created_at, event_id, event_at, test)
      SELECT $1, segment, ordinal, day, id, at, test = 1
      FROM json_to_recordset($2::json) AS x (segment bigint, ordinal int, day bigint, id bigint, at bigint, test int)`,
  }),
  /** Of one segment. */
  addTerms: either({
    sqlite: `
      INSERT INTO search_terms AS t (workspace_id, segment, term, ordinals)
      SELECT $1, $2, CAST(key AS INTEGER), value FROM json_each($4) WHERE $3 >= 0
      ON CONFLICT (workspace_id, segment, term) DO UPDATE SET ordinals = t.ordinals || excluded.ordinals`,
    postgres: `
      INSERT INTO search_terms AS t (workspace_id, segment, term, created_at, ordinals)
      SELECT $1, $2, key::bigint, $3, value FROM json_each_text($4::json)
      ON CONFLICT (workspace_id, segment, term, created_at) DO UPDATE SET ordinals = t.ordinals || excluded.ordinals`,
  }),
  reach: sql`
    UPDATE search_progress SET major = $2, minor = $3, reached_at = coalesce($4, reached_at), next_segment = $5
    WHERE workspace_id = $1`,
}

/** A workspace, and where its index ends. */
interface Ended extends IndexEnd {
  readonly workspaceId: number
}

interface Progress extends Ended {
  readonly dialect: string
}

interface ToIndex {
  readonly id: number
  readonly createdAt: number
  readonly type: string
  /** Bytes of the body. */
  readonly size: number
}

type FeedEntry = ToIndex & { readonly major: number; readonly minor: number }

export const searchIndexQueries: Queries<'findUnindexed' | 'readUnindexed' | 'indexEvents' | 'indexCodes'> = {
  findUnindexed: list(function* ({ afterWorkspaceId, limit }) {
    const found = yield* rows<{ readonly id: number; readonly behind: boolean | number }>(
      searchIndexSql.unindexed,
      [afterWorkspaceId, limit],
    )
    return {
      workspaceIds: found.filter(({ behind }) => Boolean(behind)).map(({ id }) => id),
      nextAfterWorkspaceId: found.length < limit ? 0 : found.at(-1)!.id,
    }
  }),
  // On SQLite, the reading thread does most of the work, so that publishes wait only for the rest.
  readUnindexed: listInTransaction(function* ({ workspaceIds, searchable, limit }) {
    const ends = yield* rows<Progress>(searchIndexSql.ends, [numberList(workspaceIds)])
    const parts: IndexPart[] = []
    const left: number[] = []
    let room = limit
    for (const end of ends) {
      if (room <= 0) {
        left.push(end.workspaceId)
        continue
      }
      const { part, added, bytes, more } = yield* readPart(end, searchable[end.dialect] ?? [], room)
      if (part !== null) parts.push(part)
      if (more) left.push(end.workspaceId)
      room -= added + bytes / BYTES_OF_ROW + WORKSPACE_ROWS
    }
    return { parts, left }
  }),
  indexEvents: write(function* ({ parts }) {
    const ids = numberList(parts.map(({ workspaceId }) => workspaceId))
    yield* run(searchIndexSql.begin, [ids])
    const taken = yield* rows<Ended>(searchIndexSql.take, [ids])
    const ends = new Map(taken.map((end) => [end.workspaceId, end]))
    const passedOver: number[] = []
    let indexed = 0
    for (const part of parts) {
      const end = ends.get(part.workspaceId)
      if (end === undefined || !(yield* isCurrent(part, end))) {
        passedOver.push(part.workspaceId)
        continue
      }
      yield* addPart(part)
      indexed += part.events
    }
    return { indexed, passedOver }
  }),
  indexCodes: write(indexCodes),
}

/** @param room for rows of events and terms */
function* readPart(
  end: Ended,
  members: readonly string[],
  room: number,
): Work<{
  readonly part: IndexPart | null
  /** Rows of events and terms. */
  readonly added: number
  readonly bytes: number
  readonly more: boolean
}> {
  const { workspaceId, major, minor, nextSegment } = end
  const [entries, allTests] = yield* all(
    rows<FeedEntry>(searchIndexSql.next, [workspaceId, major, minor, MOST_EVENTS + 1]),
    rows<ToIndex>(searchIndexSql.tests, [workspaceId]),
  )
  // However many events have a term, it is one row.
  const terms = new Set<Term>()
  const events = yield* withTerms(entries.slice(0, MOST_EVENTS), members, terms, room)
  const tests = yield* withTerms(allTests, members, terms, room - events.length)
  const more = entries.length > events.length || allTests.length > tests.length
  if (events.length + tests.length === 0) return { part: null, added: 0, bytes: 0, more }
  const segments = new SearchSegments(end)
  yield* segments.add(events, false)
  yield* segments.add(tests, true)
  const last = entries[events.length - 1]
  const part: IndexPart = {
    workspaceId,
    from: { major, minor, nextSegment },
    to: {
      major: last?.major ?? major,
      minor: last?.minor ?? minor,
      nextSegment: segments.next,
      reachedAt: last === undefined ? null : Math.max(...events.map(({ createdAt }) => createdAt)),
    },
    events: events.length + tests.length,
    tests: tests.map(({ id }) => id),
    opened: segments.opened,
    rows: segments.rows(),
  }
  const bytes = [...events, ...tests].reduce((sum, { size }) => sum + size, 0)
  return { part, added: events.length + tests.length + terms.size, bytes, more }
}

/**
 * @param terms of the part so far, to which those of the events are added
 * @param room for these events and all terms of the part
 * @returns the first of these events, as many as there is room for, and at least one
 */
function* withTerms(
  events: readonly ToIndex[],
  members: readonly string[],
  terms: Set<Term>,
  room: number,
): Work<readonly (ToIndex & EventToIndex)[]> {
  const mayBeRead = withinBytes(events)
  const found: (ToIndex & EventToIndex)[] = []
  for (let at = 0; at < mayBeRead.length; at += BODIES_AT_ONCE) {
    const some = mayBeRead.slice(at, at + BODIES_AT_ONCE)
    const termsById = yield* termsOf(some, members)
    for (const event of some) {
      const own = termsById.get(event.id)!
      found.push({ ...event, terms: own })
      for (const term of own) terms.add(term)
      if (found.length + terms.size >= room) return found
    }
  }
  return found
}

/** Whether the index of the workspace still ends where it did when a part was read. */
function* isCurrent({ workspaceId, from, opened, tests }: IndexPart, end: IndexEnd): Work<boolean> {
  if (from.major !== end.major || from.minor !== end.minor || from.nextSegment !== end.nextSegment)
    return false
  for (const { segment, day, filled } of opened) {
    const now = yield* row<{ readonly filled: number }>(searchIndexSql.filled, [workspaceId, day, segment])
    if (now?.filled !== filled) return false
  }
  if (tests.length === 0) return true
  const left = yield* row<{ readonly count: number }>(searchIndexSql.testsLeft, [numberList(tests)])
  return left!.count === tests.length
}

function* addPart({ workspaceId, to, tests, rows: added }: IndexPart): Work<void> {
  yield* all(
    run(searchIndexSql.keepSegments, [added.segments]),
    run(searchIndexSql.addEvents, [workspaceId, added.events]),
    ...added.terms.map(({ segment, day, ordinals }) =>
      run(searchIndexSql.addTerms, [workspaceId, segment, day, ordinals]),
    ),
    run(searchIndexSql.reach, [workspaceId, to.major, to.minor, to.reachedAt, to.nextSegment]),
    ...(tests.length > 0 ? [run(searchIndexSql.forgetTests, [numberList(tests)])] : []),
  )
}

/** @returns the first of these, as many as one statement may read */
export function withinBytes<Entry extends Pick<ToIndex, 'size'>>(
  entries: readonly Entry[],
): readonly Entry[] {
  let bytes = 0
  const end = entries.findIndex(({ size }, position) => {
    bytes += size
    return position > 0 && bytes > MOST_BYTES
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** What finds each of some events: its type and its words. */
export function* termsOf(
  events: readonly Pick<ToIndex, 'id' | 'createdAt' | 'type'>[],
  members: readonly string[],
): Work<ReadonlyMap<number, ReadonlySet<Term>>> {
  const read =
    members.length === 0 || events.length === 0
      ? []
      : yield* rows<{ readonly id: number; readonly body: string }>(
          searchIndexSql.bodies,
          positionValues(events),
        )
  const bodies = new Map(read.map(({ id, body }) => [id, body]))
  const paths = pathsOf(members)
  return new Map(
    events.map(({ id, type }) => {
      const body = bodies.get(id)
      const words = body === undefined ? [] : wordsIn(body, paths)
      return [id, new Set([termOfType(type), ...[...words].map(termOfWord)])]
    }),
  )
}
