import type { VerbParams } from '../areas.ts'
import type { Replay } from '../rows.ts'
import { list, type Queries, write } from './query.ts'
import { columns, indexedBy, sql } from './sql.ts'
import { row, run, type Work } from './work.ts'

export const replaySql = {
  create: sql`
    INSERT INTO replays (public_id, workspace_id, webhook_id, event_type, from_time, to_time, max, total, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  unfinished: sql`
    SELECT count(*) AS count FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1`,
  get: sql`
    SELECT ${columns('id publicId eventType total replayed createdAt finishedAt', 'r')},
      r.from_time AS "from", r.to_time AS "to", w.public_id AS "webhookPublicId"
    FROM replays r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = $1 AND r.workspace_id = $2`,
}

export const replayQueries: Queries<'createReplay' | 'getReplay'> = {
  createReplay: write(function* (params) {
    const { publicId, workspaceId, webhookId, eventType, from, to, max, total, maxUnfinished, now } = params
    const { count } = (yield* row<{ readonly count: number }>(replaySql.unfinished, [workspaceId]))!
    if (count >= maxUnfinished) return null
    yield* run(replaySql.create, [publicId, workspaceId, webhookId, eventType, from, to, max, total, now])
    return (yield* find(params))!
  }),
  getReplay: list(find),
}

function* find({ publicId, workspaceId }: VerbParams<'getReplay'>): Work<Replay | null> {
  return (yield* row<Replay>(replaySql.get, [publicId, workspaceId])) ?? null
}
