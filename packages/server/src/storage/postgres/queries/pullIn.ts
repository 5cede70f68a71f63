import type { Store } from '../store.ts'
import { type VerbTable, writes } from '../verb.ts'

export const pullInSql = {
  /** A skip scan, as a claim makes it. What others are busy with is left for another time. */
  pullIn: `
    WITH RECURSIVE first AS (
      (SELECT webhook_id FROM waiting WHERE webhook_id > $1 ORDER BY webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id
      FROM first CROSS JOIN LATERAL (
        SELECT webhook_id FROM waiting WHERE webhook_id > first.webhook_id ORDER BY webhook_id, due_at LIMIT 1) next),
    looked AS MATERIALIZED (SELECT webhook_id FROM first LIMIT $4),
    picked AS MATERIALIZED (
      SELECT far.place, far.delivery_id, far.created_at
      FROM looked CROSS JOIN LATERAL (
        SELECT ctid AS place, delivery_id, created_at FROM waiting
        WHERE webhook_id = looked.webhook_id AND due_at > $3
        ORDER BY due_at, delivery_id LIMIT $4 FOR UPDATE SKIP LOCKED) far
      LIMIT $4),
    moved AS (UPDATE waiting SET due_at = $2 WHERE ctid = ANY (ARRAY(SELECT place FROM picked))),
    changed AS (
      UPDATE deliveries d SET next_attempt_at = $2
      FROM picked p WHERE d.id = p.delivery_id AND d.created_at = p.created_at AND d.status = 'pending')
    SELECT (SELECT count(*) FROM picked) AS pulled,
      (SELECT count(*) FROM looked) AS looked,
      (SELECT max(webhook_id) FROM looked) AS last`,
}

interface Step {
  readonly pulled: number
  readonly looked: number
  readonly last: number | null
}

export function pullInVerbs(_store: Store): Pick<VerbTable, 'pullInDue'> {
  return {
    pullInDue: writes(async (tx, { now, latest, limit, afterWebhookId }) => {
      const step = (await tx.row<Step>(pullInSql.pullIn, [afterWebhookId, now, latest, limit]))!
      const { pulled, looked, last } = step
      // The same webhooks may have more of them: those that were changed are no longer among them.
      if (pulled === limit) return { pulled, nextAfterWebhookId: afterWebhookId }
      return { pulled, nextAfterWebhookId: looked < limit ? 0 : last! }
    }),
  }
}
