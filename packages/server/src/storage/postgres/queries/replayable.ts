import type { Tx } from '../transaction.ts'
import type { VerbParams, VerbResult } from '../verb.ts'

/** Dead deliveries looked at for one count. */
const MAX_LOOKED = 25_000

/**
 * A webhook that is off is left out, since nothing may be pending for it, and one whose earlier deliveries are still
 * being canceled, since what is made pending now could be canceled with them.
 */
export const REPLAYABLE = `w.deleted_at IS NULL AND w.status <> 'off' AND w.canceled_through IS NULL`

export const replayableSql = {
  count: `
    SELECT count(*) AS looked, count(*) FILTER (
      WHERE x.finished_at <= $6
        AND ($7::text IS NULL
          OR $7 = (SELECT type FROM events e WHERE e.id = x.event_id AND e.created_at = x.created_at))) AS matching
    FROM (
      SELECT d.event_id, d.created_at, d.finished_at
      FROM webhooks w CROSS JOIN LATERAL (
        SELECT event_id, created_at, finished_at FROM deliveries
        WHERE webhook_id = w.id AND ended_badly = 'dead' AND created_at >= $4 AND created_at < $5
        LIMIT $8) d
      WHERE w.workspace_id = $1 AND w.id >= $2 AND w.id <= $3 AND ${REPLAYABLE}
      LIMIT $8) x`,
}

interface Count {
  readonly looked: number
  readonly matching: number
}

/** @returns a count that is cut short when there is too much to look at: there may be more then. */
export function replayableCounter(
  maxLooked: number = MAX_LOOKED,
): (tx: Tx, params: VerbParams<'countReplayable'>) => Promise<VerbResult<'countReplayable'>> {
  return async (tx, { workspaceId, webhookId: only, eventType, from, to, max, now }) => {
    const { looked, matching } = (await tx.row<Count>(replayableSql.count, [
      workspaceId,
      only ?? 0,
      only ?? Number.MAX_SAFE_INTEGER,
      from ?? 0,
      to ?? Number.MAX_SAFE_INTEGER,
      now,
      eventType,
      // One more than is looked at tells whether there is more.
      maxLooked + 1,
    ]))!
    return { count: Math.min(matching, max), more: matching > max || looked > maxLooked }
  }
}
