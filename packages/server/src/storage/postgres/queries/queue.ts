import type { QueuePosition } from '../../storage.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable } from '../verb.ts'
import { CLAIMABLE } from './claim.ts'

/** Deliveries that wait looked at in one call: some 10 ms, so that a stop need not wait for long. */
const MAX_LOOKED = 10_000
const BEFORE_ALL: readonly number[] = [0, 0, 0]
/** Webhooks that a count for one workspace looks at in one call. */
const MAX_WEBHOOKS = 50

export const queueSql = {
  /** A skip scan over webhooks, as a claim makes it, and what is leased to nodes. */
  first: `
    WITH RECURSIVE first AS (
      (SELECT webhook_id, due_at FROM waiting WHERE webhook_id > 0 ORDER BY webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id, next.due_at
      FROM first CROSS JOIN LATERAL (
        SELECT webhook_id, due_at FROM waiting WHERE webhook_id > first.webhook_id
        ORDER BY webhook_id, due_at LIMIT 1) next)
    SELECT
      (SELECT coalesce(sum(open), 0)::bigint FROM leases WHERE id > 0) AS leased,
      (SELECT coalesce(sum(waiting), 0)::bigint FROM fanout_queues WHERE workspace_id > 0) AS unmade,
      (SELECT created_at FROM fanouts WHERE created_at > 0 ORDER BY created_at LIMIT 1) AS "oldestUnmadeAt",
      (SELECT min(f.due_at) FROM first f
        CROSS JOIN LATERAL (
          SELECT 1 FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
          WHERE w.id = f.webhook_id AND ${CLAIMABLE} OFFSET 0) w
        WHERE f.due_at <= $1) AS "oldestDueAt"`,
  /** What waits behind a place in the index, by the index alone. */
  part: `
    WITH looked AS MATERIALIZED (
      SELECT webhook_id, due_at, delivery_id FROM waiting WHERE (webhook_id, due_at, delivery_id) > ($2, $3, $4)
      ORDER BY webhook_id, due_at, delivery_id LIMIT ${MAX_LOOKED}),
    counted AS MATERIALIZED (
      SELECT webhook_id, count(*) AS pending, count(*) FILTER (WHERE due_at <= $1) AS due FROM looked GROUP BY webhook_id)
    SELECT
      (SELECT coalesce(sum(pending), 0)::bigint FROM counted) AS pending,
      (SELECT coalesce(sum(c.due), 0)::bigint FROM counted c
        CROSS JOIN LATERAL (
          SELECT 1 FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
          WHERE w.id = c.webhook_id AND ${CLAIMABLE} OFFSET 0) w
        WHERE c.due > 0) AS due,
      (SELECT ARRAY[webhook_id, due_at, delivery_id] FROM looked OFFSET ${MAX_LOOKED - 1}) AS last`,
  webhook: `
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 ORDER BY id LIMIT 1`,
  /** What waits of a webhook behind a place in the index. */
  counted: `
    WITH looked AS MATERIALIZED (
      SELECT due_at, delivery_id FROM waiting WHERE webhook_id = $1 AND (due_at, delivery_id) > ($2, $3)
      ORDER BY due_at, delivery_id LIMIT ${MAX_LOOKED})
    SELECT (SELECT count(*) FROM looked) AS pending,
      (SELECT ARRAY[due_at, delivery_id] FROM looked OFFSET ${MAX_LOOKED - 1}) AS last`,
  unmadeOf: 'SELECT waiting FROM fanout_queues WHERE workspace_id = $1',
}

interface First {
  readonly leased: number
  readonly unmade: number
  /** Of the oldest event that lacks deliveries. */
  readonly oldestUnmadeAt: number | null
  readonly oldestDueAt: number | null
}

interface Part {
  readonly pending: number
  readonly due: number
  /** The last place; `null`: there was no more to look at. */
  readonly last: QueuePosition | null
}

/** A place before all of a webhook. */
const NOTHING_YET: readonly number[] = [0, 0]

const NOTHING: First = { leased: 0, unmade: 0, oldestDueAt: null, oldestUnmadeAt: null }

type QueueVerbs = Pick<VerbTable, 'readQueue' | 'countPending'>

export function queueVerbs(_store: Store): QueueVerbs {
  return {
    readQueue: reads(async (tx, { now, from }) => {
      const [first, part] = await Promise.all([
        from === null ? tx.row<First>(queueSql.first, [now]) : undefined,
        tx.row<Part>(queueSql.part, [now, ...(from ?? BEFORE_ALL)]),
      ])
      const { pending, due, last } = part!
      const { leased, unmade, oldestDueAt, oldestUnmadeAt } = first ?? NOTHING
      return {
        pending: pending + leased + unmade,
        due: due + unmade,
        unmade,
        oldestDueAt: oldestUnmadeAt === null ? oldestDueAt : Math.min(oldestUnmadeAt, oldestDueAt ?? now),
        next: last,
      }
    }),
    countPending: reads(async (tx, { workspaceId, from }) => {
      let pending = 0
      if (from === null)
        pending += (await tx.row<{ waiting: number }>(queueSql.unmadeOf, [workspaceId]))?.waiting ?? 0
      let [webhookId, after] = [from?.[0] ?? 0, from?.slice(1) ?? NOTHING_YET]
      for (let webhooks = 0; webhooks < MAX_WEBHOOKS; webhooks++) {
        const webhook = await tx.row<{ id: number }>(queueSql.webhook, [workspaceId, webhookId])
        if (webhook === undefined) return { pending, next: null }
        if (webhook.id !== webhookId) after = NOTHING_YET
        const part = await tx.row<Pick<Part, 'pending' | 'last'>>(queueSql.counted, [webhook.id, ...after])
        pending += part!.pending
        if (part!.last !== null) return { pending, next: [webhook.id, ...part!.last] }
        webhookId = webhook.id + 1
        after = NOTHING_YET
      }
      return { pending, next: [webhookId, ...after] }
    }),
  }
}
