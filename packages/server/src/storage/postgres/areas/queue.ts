import { QUEUE_COUNTED } from '../../interface/figures.ts'
import type { QueuePeak, QueueState } from '../../storage.ts'
import type { Store } from '../store.ts'
import { reads, single, type VerbTable } from '../verb.ts'
import { CLAIMABLE } from './claim.ts'

export const queueSql = {
  /** A skip scan over webhooks, as a claim makes it, and what waits, by the index alone. Nobody waits for that. */
  read: `
    WITH RECURSIVE first AS (
      (SELECT webhook_id, due_at FROM waiting ORDER BY webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id, next.due_at
      FROM first CROSS JOIN LATERAL (
        SELECT webhook_id, due_at FROM waiting WHERE webhook_id > first.webhook_id
        ORDER BY webhook_id, due_at LIMIT 1) next),
    ready AS MATERIALIZED (
      SELECT f.webhook_id, f.due_at FROM first f
      CROSS JOIN LATERAL (
        SELECT 1 FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
        WHERE w.id = f.webhook_id AND ${CLAIMABLE} OFFSET 0) w
      WHERE f.due_at <= $1)
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM waiting WHERE webhook_id > 0 LIMIT ${QUEUE_COUNTED}) counted)
        + (SELECT coalesce(sum(open), 0)::bigint FROM leases WHERE id > 0) AS pending,
      (SELECT count(*) FROM (
        SELECT 1 FROM ready r CROSS JOIN LATERAL (
          SELECT 1 FROM waiting WHERE webhook_id = r.webhook_id AND due_at <= $1 OFFSET 0) d
        LIMIT ${QUEUE_COUNTED}) counted) AS due,
      (SELECT min(due_at) FROM ready) AS "oldestDueAt"`,
  peaks: `
    SELECT $1 + (at - $1) / $3 * $3 AS at, max(pending) AS pending,
      max(coalesce(queue_samples.at - oldest_due_at, 0)) AS "oldestDueMs"
    FROM queue_samples WHERE at >= $1 AND at < $2 GROUP BY (queue_samples.at - $1) / $3 ORDER BY 1`,
}

const sql = {
  keep: `
    INSERT INTO queue_samples (at, pending, due, oldest_due_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
}

export function queueVerbs(_store: Store): Pick<VerbTable, 'readQueue' | 'keepQueueSample' | 'queuePeaks'> {
  return {
    readQueue: reads(async (tx, { now }) => ({
      ...(await tx.row<QueueState>(queueSql.read, [now]))!,
      next: null,
    })),
    keepQueueSample: single(async (tx, { at, pending, due, oldestDueAt }) => {
      await tx.run(sql.keep, [at, pending, due, oldestDueAt])
    }),
    queuePeaks: reads((tx, { from, to, stepMs }) => tx.rows<QueuePeak>(queueSql.peaks, [from, to, stepMs])),
  }
}
