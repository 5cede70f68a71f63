import type { CallResult } from '../callGroups.ts'
import type { QueuePosition } from '../storage.ts'
import { WAITING } from './layout.ts'
import { list, lookup, type Queries } from './query.ts'
import { LIMITED } from './rowMappers.ts'
import { type Fragment, joinEach, sql } from './sql.ts'
import { row, rows, type Work } from './work.ts'

/**
 * Waiting deliveries that the first call for a count looks at: some 1 ms of the thread that writes to SQLite. While few wait, this
 * spares an idle service the reading thread.
 */
const MAX_LOOKED = 2_000
/** The same of each further call, which SQLite carries out in the thread that reads: some 10 ms. */
const MAX_LOOKED_LATER = 20_000
/** Webhooks that a count for one workspace looks at in one call. */
const MAX_WEBHOOKS = 100
/** Of a webhook. */
const BEFORE_ANY = [Number.MIN_SAFE_INTEGER, 0] as const
const BEFORE_ALL: QueuePosition = [0, ...BEFORE_ANY]

/** Of `webhooks w JOIN workspaces s`: whether anything of it may be sent. */
export const CLAIMABLE = `w.status = 'on' AND w.deleted_at IS NULL AND w.canceled_through IS NULL AND s.suspended_at IS NULL`

const ORDER = 'webhook_id, due_at, id'
const LEASED_COUNT: Fragment = {
  sqlite: 'SELECT count(*) FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL',
  postgres: 'SELECT CAST(coalesce(sum(open), 0) AS BIGINT) FROM leases WHERE id > 0',
}
/** Ids of events grow with time, give or take what nodes reserve ahead; SQLite has no index by time. */
const OLDEST_UNMADE: Fragment = {
  sqlite: `
      SELECT e.created_at FROM fanouts f CROSS JOIN events e ON e.id = f.event_id ORDER BY f.event_id LIMIT 1`,
  postgres: 'SELECT created_at FROM fanouts WHERE created_at > 0 ORDER BY created_at LIMIT 1',
}

/**
 * The oldest of all webhooks, by one step down the index for each. On SQLite this would block the only thread that writes, so
 * there each part adds its own oldest.
 */
const OLDEST_DUE: Fragment = {
  sqlite: 'SELECT NULL',
  postgres: `
      WITH RECURSIVE first AS (
        (SELECT webhook_id, due_at FROM waiting WHERE webhook_id > 0 ORDER BY webhook_id, due_at LIMIT 1)
        UNION ALL
        SELECT next.webhook_id, next.due_at
        FROM first CROSS JOIN LATERAL (
          SELECT webhook_id, due_at FROM waiting WHERE webhook_id > first.webhook_id
          ORDER BY webhook_id, due_at LIMIT 1) next)
      SELECT min(f.due_at) FROM first f CROSS JOIN LATERAL (
        SELECT 1 FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
        WHERE w.id = f.webhook_id AND ${CLAIMABLE} AND NOT ${LIMITED} OFFSET 0) w
      WHERE f.due_at <= $1`,
}

/** Waiting deliveries of a webhook after a position in the index. */
const BEHIND = 'webhook_id = $1 AND (due_at, id) > ($2, $3)'

/**
 * Waiting deliveries after a position in the index, and the end of the part; that is `null` if nothing is left. SQLite seeks to
 * the millisecond of the position, and skips the rows of it that were counted.
 */
const part = (looked: number) => sql`
  WITH looked AS MATERIALIZED (
    SELECT webhook_id, due_at, id FROM ${WAITING} w WHERE (${ORDER}) > ($2, $3, $4) ORDER BY ${ORDER} LIMIT ${String(looked)}),
  ended AS (SELECT webhook_id, due_at, id FROM looked LIMIT 1 OFFSET ${String(looked)} - 1),
  counted AS MATERIALIZED (
    SELECT webhook_id, count(*) FILTER (WHERE due_at <= $1) AS due, min(due_at) AS oldest_at
    FROM looked GROUP BY webhook_id),
  claimable AS MATERIALIZED (
    SELECT c.due, c.oldest_at, ${LIMITED} AS limited FROM counted c ${joinEach('webhooks', 'w', 'w.id = c.webhook_id')}
    ${joinEach('workspaces', 's', 's.id = w.workspace_id')} WHERE c.due > 0 AND ${CLAIMABLE})
  SELECT (SELECT count(*) FROM looked) AS pending,
    (SELECT CAST(coalesce(sum(due), 0) AS BIGINT) FROM claimable WHERE NOT limited) AS due,
    (SELECT CAST(coalesce(sum(due), 0) AS BIGINT) FROM claimable WHERE limited) AS limited,
    (SELECT min(oldest_at) FROM claimable WHERE NOT limited) AS "oldestAt",
    (SELECT webhook_id FROM ended) AS "webhookId", (SELECT due_at FROM ended) AS "dueAt",
    (SELECT id FROM ended) AS id`

export const queueSql = {
  /** Leased deliveries, and those that are not created yet. */
  beside: sql`
    SELECT (${LEASED_COUNT}) AS leased,
      (SELECT CAST(coalesce(sum(waiting), 0) AS BIGINT) FROM fanout_queues WHERE workspace_id > 0) AS unmade,
      (${OLDEST_UNMADE}) AS "oldestUnmadeAt", (${OLDEST_DUE}) AS "oldestDueAt"`,
  part: part(MAX_LOOKED),
  laterPart: part(MAX_LOOKED_LATER),
  webhooks: sql`
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 ORDER BY id LIMIT $3`,
  waitingOf: sql`SELECT count(*) AS pending FROM (SELECT 1 FROM ${WAITING} w WHERE ${BEHIND} LIMIT $4) looked`,
  /** The place of the last of these. */
  lastOf: sql`
    SELECT due_at AS "dueAt", id FROM ${WAITING} w WHERE ${BEHIND} ORDER BY due_at, id LIMIT 1 OFFSET $4 - 1`,
  unmadeOf: sql`SELECT waiting FROM fanout_queues WHERE workspace_id = $1`,
}

interface Beside {
  readonly leased: number
  readonly unmade: number
  readonly oldestUnmadeAt: number | null
  readonly oldestDueAt: number | null
}

const NOTHING: Beside = { leased: 0, unmade: 0, oldestUnmadeAt: null, oldestDueAt: null }

interface Part {
  readonly pending: number
  readonly due: number
  readonly limited: number
  readonly oldestAt: number | null
  readonly webhookId: number | null
  readonly dueAt: number | null
  readonly id: number | null
}

export const queueQueries: Queries<'readQueue' | 'readQueueLater' | 'countPending'> = {
  readQueue: lookup(function* ({ now }) {
    const beside = (yield* row<Beside>(queueSql.beside, [now]))!
    return stateOf(now, beside, (yield* row<Part>(queueSql.part, [now, ...BEFORE_ALL]))!)
  }),
  readQueueLater: list(function* ({ now, from }) {
    return stateOf(now, NOTHING, (yield* row<Part>(queueSql.laterPart, [now, ...from]))!)
  }),
  countPending: lookup(function* ({ workspaceId, from }) {
    let pending = from === null ? yield* unmadeOf(workspaceId) : 0
    const [firstId, ...place] = from ?? BEFORE_ALL
    const webhooks = yield* rows<{ readonly id: number }>(queueSql.webhooks, [
      workspaceId,
      firstId!,
      MAX_WEBHOOKS,
    ])
    let left = MAX_LOOKED
    for (const { id } of webhooks) {
      const behind = id === firstId ? place : BEFORE_ANY
      const waiting = (yield* row<{ readonly pending: number }>(queueSql.waitingOf, [id, ...behind, left]))!
      pending += waiting.pending
      left -= waiting.pending
      if (left === 0) {
        const last = [id, ...behind, waiting.pending]
        const { dueAt, id: deliveryId } = (yield* row<{ readonly dueAt: number; readonly id: number }>(
          queueSql.lastOf,
          last,
        ))!
        return { pending, next: [id, dueAt, deliveryId] }
      }
    }
    if (webhooks.length < MAX_WEBHOOKS) return { pending, next: null }
    return { pending, next: [webhooks.at(-1)!.id + 1, ...BEFORE_ANY] }
  }),
}

function stateOf(now: number, beside: Beside, part: Part): CallResult<'readQueue'> {
  const times = [beside.oldestUnmadeAt, beside.oldestDueAt, part.oldestAt].filter((time) => time !== null)
  return {
    pending: beside.leased + beside.unmade + part.pending,
    due: beside.unmade + part.due,
    limited: part.limited,
    unmade: beside.unmade,
    oldestDueAt: times.length === 0 ? null : Math.min(now, ...times),
    next: part.webhookId === null ? null : [part.webhookId, part.dueAt!, part.id!],
  }
}

function* unmadeOf(workspaceId: number): Work<number> {
  return (yield* row<{ readonly waiting: number }>(queueSql.unmadeOf, [workspaceId]))?.waiting ?? 0
}
