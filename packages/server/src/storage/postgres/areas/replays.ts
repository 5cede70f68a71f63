import { REPLAY_COLUMNS, type ReplayRow, toReplay } from '../../records/replays.ts'
import type { Replay } from '../../rows.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { reads, type VerbParams, type VerbTable, writes } from '../verb.ts'
import { replayableCounter } from './replayable.ts'
import { replayStepper } from './replaySteps.ts'

export const replaySql = {
  create: `
    INSERT INTO replays (public_id, workspace_id, webhook_id, event_type, from_time, to_time, max, total, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  unfinished: 'SELECT count(*) AS count FROM replays WHERE finished_at IS NULL AND workspace_id = $1',
  get: `
    SELECT ${REPLAY_COLUMNS} FROM replays r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = $1 AND r.workspace_id = $2`,
}

type ReplayVerbs = Pick<VerbTable, 'countReplayable' | 'createReplay' | 'getReplay' | 'stepReplays'>

export function replayVerbs(store: Store): ReplayVerbs {
  return {
    countReplayable: reads(replayableCounter()),
    createReplay: writes(async (tx, params) => {
      const { publicId, workspaceId, webhookId, eventType, from, to, max, total, maxUnfinished, now } = params
      const { count } = (await tx.row<{ count: number }>(replaySql.unfinished, [workspaceId]))!
      if (count >= maxUnfinished) return null
      await tx.run(replaySql.create, [publicId, workspaceId, webhookId, eventType, from, to, max, total, now])
      return (await find(tx, params))!
    }),
    getReplay: reads(find),
    stepReplays: writes(replayStepper(store)),
  }
}

async function find(tx: Tx, { publicId, workspaceId }: VerbParams<'getReplay'>): Promise<Replay | null> {
  const row = await tx.row<ReplayRow>(replaySql.get, [publicId, workspaceId])
  return row === undefined ? null : toReplay(row)
}
