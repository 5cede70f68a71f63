import type { CallParams, CallResult } from '../callGroups.ts'
import type { Consumer } from '../rows.ts'
import type { ConsumerLag, ConsumerStart, EventPosition, LagQuestion } from '../storage.ts'
import { list, type Queries, write } from './query.ts'
import { columns, each, either, FOR_NO_KEY_UPDATE, type Fragment, sql } from './sql.ts'
import { row, rows, rowsOfEach, run, type Work } from './work.ts'

/** Events that one call looks at for the first of a time: some 15 ms. */
const MAX_LOOKED = 5_000
/** Events that one look of those who wait passes over. */
const MAX_AHEAD = 1_000
/** Behind everything of the same transaction; SQLite has no second number. */
const LAST_MINOR = Number.MAX_SAFE_INTEGER

/** After everything that the feed shows now. PostgreSQL: uncommitted events come later. */
const SHOWN: Fragment = {
  sqlite: 'SELECT next_event_seq - 1 AS major FROM store',
  postgres: `
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset - 1 AS major FROM store`,
}

export const CONSUMER_COLUMNS = columns(
  'id workspaceId name eventTypes major minor generation lost lostSeen lostAt createdAt acknowledgedAt movedAt',
)

/** Events behind the place of a consumer `x`, in their order, at most `$3`. */
const BEHIND: Fragment = {
  sqlite: `
    SELECT id, type, created_at FROM events INDEXED BY events_feed
    WHERE workspace_id = x.workspace_id AND seq > x.major ORDER BY seq`,
  postgres: `
    SELECT id, type, created_at FROM events
    WHERE workspace_id = x.workspace_id AND (xact, id) > (x.major, x.minor)
      AND xact < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)
    ORDER BY xact, id`,
}

/** Whether an event is of the types of a consumer `x`, a list in JSON: an empty one is all. */
const WANTED: Fragment = {
  sqlite: `(x.types = '[]' OR type IN (SELECT value FROM json_each(x.types)))`,
  postgres: `(x.types = '[]' OR type IN (SELECT json_array_elements_text(x.types::json)))`,
}

const lagOf = (driver: 'sqlite' | 'postgres') => `
  SELECT count(*) AS looked, count(*) FILTER (WHERE ${WANTED[driver]}) AS events,
    (SELECT created_at FROM (${BEHIND[driver]} LIMIT $3) first WHERE ${WANTED[driver]} LIMIT 1) AS "oldestAt"
  FROM (${BEHIND[driver]} LIMIT $3) behind`

export const consumerSql = {
  get: sql`SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE workspace_id = $1 AND name = $2`,
  page: sql`SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
  walk: sql`SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE id > $1 ORDER BY id LIMIT $2`,
  lags: each(
    { workspace_id: 'bigint', major: 'bigint', minor: 'bigint', types: 'text' },
    { sqlite: lagOf('sqlite'), postgres: lagOf('postgres') },
  ),
  /** Events from a place on, and when they were accepted. */
  times: either({
    sqlite: `
      SELECT seq AS major, NULL AS minor, created_at AS "createdAt" FROM events INDEXED BY events_feed
      WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $4`,
    postgres: `
      SELECT xact AS major, id AS minor, created_at AS "createdAt" FROM events
      WHERE workspace_id = $1 AND (xact, id) > ($2, $3)
        AND xact < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)
      ORDER BY xact, id LIMIT $4`,
  }),
  ahead: either({
    sqlite: `
      SELECT seq AS major, NULL AS minor, type FROM events INDEXED BY events_feed
      WHERE workspace_id = $1 AND seq > $2 ORDER BY seq LIMIT $4`,
    postgres: `
      SELECT xact AS major, id AS minor, type FROM events
      WHERE workspace_id = $1 AND (xact, id) > ($2, $3)
        AND xact < (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint + xact_offset FROM store)
      ORDER BY xact, id LIMIT $4`,
  }),
  shown: sql`${SHOWN}`,
  /** Consumers of a workspace are counted while no other is added. */
  lockWorkspace: sql`SELECT id FROM workspaces WHERE id = $1 AND deleted_at IS NULL ${FOR_NO_KEY_UPDATE}`,
  count: sql`SELECT count(*) AS count FROM consumers WHERE workspace_id = $1`,
  insert: sql`
    INSERT INTO consumers (workspace_id, name, event_types, major, minor, created_at)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${CONSUMER_COLUMNS}`,
  seek: sql`
    UPDATE consumers SET major = $3, minor = $4, moved_at = $5, generation = generation + 1, lost_seen = lost
    WHERE workspace_id = $1 AND name = $2 RETURNING ${CONSUMER_COLUMNS}`,
  remove: sql`DELETE FROM consumers WHERE workspace_id = $1 AND name = $2`,
  lock: sql`SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE id = $2 AND workspace_id = $1 ${FOR_NO_KEY_UPDATE}`,
  acknowledge: sql`
    UPDATE consumers SET major = $2, minor = $3, lost_seen = $4, acknowledged_at = $5 WHERE id = $1`,
  skip: sql`
    UPDATE consumers SET major = $6, minor = $7
    WHERE workspace_id = $1 AND id = $2 AND generation = $3 AND major = $4 AND minor = $5`,
}

export interface ConsumerRow extends Omit<Consumer, 'eventTypes' | 'position'> {
  /** As JSON. */
  readonly eventTypes: string | null
  readonly major: number
  readonly minor: number
}

const toConsumer = ({ eventTypes, major, minor, ...row }: ConsumerRow): Consumer => ({
  ...row,
  eventTypes: eventTypes === null ? null : (JSON.parse(eventTypes) as string[]),
  position: [major, minor],
})

const numbersOf = ([major, minor = LAST_MINOR]: EventPosition): [number, number] => [major!, minor]

export const consumerQueries: Queries<
  | 'getConsumer'
  | 'listConsumers'
  | 'walkConsumers'
  | 'consumerLags'
  | 'lookAhead'
  | 'placeBefore'
  | 'skipUnwanted'
  | 'createConsumer'
  | 'seekConsumer'
  | 'deleteConsumer'
  | 'acknowledge'
> = {
  getConsumer: list(function* ({ workspaceId, name }) {
    const found = yield* row<ConsumerRow>(consumerSql.get, [workspaceId, name])
    return found === undefined ? null : toConsumer(found)
  }),
  listConsumers: list(function* ({ workspaceId, limit, before }) {
    const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<ConsumerRow>(consumerSql.page, values)).map(toConsumer)
  }),
  walkConsumers: list(function* ({ after, limit }) {
    return (yield* rows<ConsumerRow>(consumerSql.walk, [after, limit])).map(toConsumer)
  }),
  consumerLags: list(function* ({ consumers, most }) {
    const found = yield* rowsOfEach<LagRow>(consumerSql.lags, consumers.map(lagValues), null, [most])
    return found.map(([lag]) => toLag(lag!, most))
  }),
  lookAhead: list(function* ({ workspaceId, after }) {
    const values = [workspaceId, ...numbersOf(after), MAX_AHEAD]
    const found = yield* rows<AheadRow>(consumerSql.ahead, values)
    return {
      types: [...new Set(found.map(({ type }) => type))],
      next: placeAfter(found.at(-1), after),
      more: found.length === MAX_AHEAD,
    }
  }),
  placeBefore: list(findPlace),
  skipUnwanted: write(function* ({ workspaceId, id, generation, from, to }) {
    const values = [workspaceId, id, generation, ...numbersOf(from), ...numbersOf(to)]
    yield* run(consumerSql.skip, values)
  }),
  createConsumer: write(function* ({ workspaceId, name, eventTypes, start, max, now }) {
    if ((yield* row(consumerSql.lockWorkspace, [workspaceId])) === undefined)
      return { outcome: 'workspace_not_found' }
    if ((yield* row(consumerSql.get, [workspaceId, name])) !== undefined) return { outcome: 'exists' }
    const { count } = (yield* row<{ readonly count: number }>(consumerSql.count, [workspaceId]))!
    if (count >= max) return { outcome: 'limit_reached' }
    const types = eventTypes === null ? null : JSON.stringify(eventTypes)
    const values = [workspaceId, name, types, ...(yield* placeOf(start)), now]
    return {
      outcome: 'created',
      consumer: toConsumer((yield* row<ConsumerRow>(consumerSql.insert, values))!),
    }
  }),
  seekConsumer: write(function* ({ workspaceId, name, start, now }) {
    const values = [workspaceId, name, ...(yield* placeOf(start)), now]
    const moved = yield* row<ConsumerRow>(consumerSql.seek, values)
    return moved === undefined ? null : toConsumer(moved)
  }),
  deleteConsumer: write(function* ({ workspaceId, name }) {
    return (yield* run(consumerSql.remove, [workspaceId, name])) > 0
  }),
  acknowledge: write(function* (params) {
    const found = yield* row<ConsumerRow>(consumerSql.lock, [params.workspaceId, params.consumerId])
    if (found === undefined) return { outcome: 'not_found' }
    const { result, row: next } = acknowledged(found, params)
    if (next !== null) {
      const { id, major, minor, lostSeen, acknowledgedAt } = next
      yield* run(consumerSql.acknowledge, [id, major, minor, lostSeen, acknowledgedAt])
    }
    return result
  }),
}

/** @returns what an acknowledgement makes of a consumer; `row`: `null` where it stays as it is */
export function acknowledged(
  found: ConsumerRow,
  { workspaceId, generation, position, lost, now }: CallParams<'acknowledge'>,
): { readonly result: CallResult<'acknowledge'>; readonly row: ConsumerRow | null } {
  if (found.workspaceId !== workspaceId) return { result: { outcome: 'not_found' }, row: null }
  if (found.generation !== generation) return { result: { outcome: 'outdated' }, row: null }
  const [major, minor] = numbersOf(position)
  const isAhead = major > found.major || (major === found.major && minor > found.minor)
  const lostSeen = Math.max(found.lostSeen, Math.min(lost, found.lost))
  if (!isAhead && lostSeen === found.lostSeen)
    return { result: { outcome: 'acknowledged', consumer: toConsumer(found), moved: false }, row: null }
  const row = { ...found, ...(isAhead ? { major, minor } : {}), lostSeen, acknowledgedAt: now }
  return { result: { outcome: 'acknowledged', consumer: toConsumer(row), moved: true }, row }
}

interface LagRow {
  readonly looked: number
  readonly events: number
  readonly oldestAt: number | null
}

function lagValues({ workspaceId, eventTypes, position }: LagQuestion) {
  const [major, minor] = numbersOf(position)
  return { workspace_id: workspaceId, major, minor, types: JSON.stringify(eventTypes ?? []) }
}

const toLag = ({ looked, events, oldestAt }: LagRow, most: number): ConsumerLag => ({
  events,
  more: looked === most,
  oldestAt,
})

interface PlaceRow {
  readonly major: number
  readonly minor: number | null
}

type AheadRow = PlaceRow & { readonly type: string }
type TimeRow = PlaceRow & { readonly createdAt: number }

const placeAfter = (row: PlaceRow | undefined, otherwise: EventPosition): EventPosition =>
  row === undefined ? otherwise : [row.major, row.minor ?? LAST_MINOR]

function* findPlace({ workspaceId, after, time }: CallParams<'placeBefore'>) {
  const values = [workspaceId, ...numbersOf(after), MAX_LOOKED]
  const looked = yield* rows<TimeRow>(consumerSql.times, values)
  const first = looked.findIndex(({ createdAt }) => createdAt >= time)
  const place = placeAfter(first === -1 ? looked.at(-1) : looked[first - 1], after)
  return { place, done: first !== -1 || looked.length < MAX_LOOKED }
}

function* placeOf(start: ConsumerStart): Work<readonly [number, number]> {
  if (start !== 'now') return numbersOf(start)
  return [(yield* row<{ readonly major: number }>(consumerSql.shown))!.major, LAST_MINOR]
}
