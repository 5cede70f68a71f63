import type { QueuePosition } from '../storage.ts'
import { WAITING } from './layout.ts'
import { lookup, type Queries } from './query.ts'
import { type Fragment, joinEach, sql } from './sql.ts'
import { row, type Work } from './work.ts'

/**
 * Waiting deliveries that one call looks at: some 1 ms of the thread that writes to SQLite. It is done every minute, and the other
 * thread would be kept for nothing else by a service that nobody looks at.
 */
const MAX_LOOKED = 2_000
/** Webhooks that a count for one workspace looks at in one call. */
const MAX_WEBHOOKS = 100
const BEFORE_ALL: QueuePosition = [0, Number.MIN_SAFE_INTEGER, 0]

/** Of `webhooks w JOIN workspaces s`: whether anything of it may be sent. */
export const CLAIMABLE = `w.status = 'on' AND w.deleted_at IS NULL AND w.canceled_through IS NULL AND s.suspended_at IS NULL`

const ORDER = 'webhook_id, due_at, id'
/**
 * What waits behind a place in the index, and where the part ends; that is `null` if nothing is left. SQLite seeks to the
 * millisecond of the place, and passes over what it has counted of that.
 */
const partOf = (condition: string, limit: string) => sql`
    WITH looked AS MATERIALIZED (
      SELECT webhook_id, due_at, id FROM ${WAITING} w WHERE ${condition} ORDER BY ${ORDER} LIMIT ${limit}),
    ended AS (SELECT webhook_id, due_at, id FROM looked LIMIT 1 OFFSET ${limit} - 1)`
const END = `
      (SELECT webhook_id FROM ended) AS "webhookId", (SELECT due_at FROM ended) AS "dueAt", (SELECT id FROM ended) AS id`

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

export const queueSql = {
  /** What nodes hold and what is not created yet. */
  beside: sql`
    SELECT (${LEASED_COUNT}) AS leased,
      (SELECT CAST(coalesce(sum(waiting), 0) AS BIGINT) FROM fanout_queues WHERE workspace_id > 0) AS unmade,
      (${OLDEST_UNMADE}) AS "oldestAt"`,
  part: sql`
    ${partOf(`(${ORDER}) > ($2, $3, $4)`, String(MAX_LOOKED))},
    counted AS MATERIALIZED (
      SELECT webhook_id, count(*) FILTER (WHERE due_at <= $1) AS due, min(due_at) AS oldest_at
      FROM looked GROUP BY webhook_id),
    claimable AS MATERIALIZED (
      SELECT c.due, c.oldest_at FROM counted c ${joinEach('webhooks', 'w', 'w.id = c.webhook_id')}
      ${joinEach('workspaces', 's', 's.id = w.workspace_id')} WHERE c.due > 0 AND ${CLAIMABLE})
    SELECT (SELECT count(*) FROM looked) AS pending,
      (SELECT CAST(coalesce(sum(due), 0) AS BIGINT) FROM claimable) AS due,
      (SELECT min(oldest_at) FROM claimable) AS "oldestAt", ${END}`,
  webhook: sql`
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 ORDER BY id LIMIT 1`,
  partOfWebhook: sql`
    ${partOf('webhook_id = $1 AND (due_at, id) > ($2, $3)', '$4')}
    SELECT (SELECT count(*) FROM looked) AS pending, ${END}`,
  unmadeOf: sql`SELECT waiting FROM fanout_queues WHERE workspace_id = $1`,
}

interface Beside {
  readonly leased: number
  readonly unmade: number
  readonly oldestAt: number | null
}

const NOTHING: Beside = { leased: 0, unmade: 0, oldestAt: null }

interface End {
  readonly webhookId: number | null
  readonly dueAt: number | null
  readonly id: number | null
}

interface PartOfWebhook extends End {
  readonly pending: number
}

interface Part extends PartOfWebhook {
  readonly due: number
  readonly oldestAt: number | null
}

export const queueQueries: Queries<'readQueue' | 'countPending'> = {
  readQueue: lookup(function* ({ now, from }) {
    const beside = from === null ? (yield* row<Beside>(queueSql.beside))! : NOTHING
    const part = (yield* row<Part>(queueSql.part, [now, ...(from ?? BEFORE_ALL)]))!
    const times = [beside.oldestAt, part.oldestAt].filter((time) => time !== null)
    return {
      pending: beside.leased + beside.unmade + part.pending,
      due: beside.unmade + part.due,
      unmade: beside.unmade,
      oldestDueAt: times.length === 0 ? null : Math.min(now, ...times),
      next: endOf(part),
    }
  }),
  countPending: lookup(function* ({ workspaceId, from }) {
    let pending = from === null ? yield* unmadeOf(workspaceId) : 0
    let left = MAX_LOOKED
    let [webhookId, ...after] = from ?? BEFORE_ALL
    for (let webhooks = 0; webhooks < MAX_WEBHOOKS; webhooks++) {
      const webhook = yield* row<{ readonly id: number }>(queueSql.webhook, [workspaceId, webhookId!])
      if (webhook === undefined) return { pending, next: null }
      if (webhook.id !== webhookId) after = BEFORE_ALL.slice(1)
      const part = (yield* row<PartOfWebhook>(queueSql.partOfWebhook, [webhook.id, ...after, left]))!
      pending += part.pending
      left -= part.pending
      const end = endOf(part)
      if (end !== null) return { pending, next: end }
      webhookId = webhook.id + 1
      after = BEFORE_ALL.slice(1)
    }
    return { pending, next: [webhookId!, ...after] }
  }),
}

const endOf = ({ webhookId, dueAt, id }: End): QueuePosition | null =>
  webhookId === null ? null : [webhookId, dueAt!, id!]

function* unmadeOf(workspaceId: number): Work<number> {
  return (yield* row<{ readonly waiting: number }>(queueSql.unmadeOf, [workspaceId]))?.waiting ?? 0
}
