import { REPLAY_COLUMNS, type ReplayRow, toReplay } from '../../records/replays.ts'
import type { Replay } from '../../rows.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { replayableCounter } from './replayable.ts'
import { replayStepper } from './replaySteps.ts'

export const replaySql = {
  create: `
    INSERT INTO replays (public_id, workspace_id, webhook_id, event_type, from_time, to_time, max, total, created_at)
    VALUES (@publicId, @workspaceId, @webhookId, @eventType, @from, @to, @max, @total, @now)`,
  unfinished: `
    SELECT count(*) FROM replays INDEXED BY replays_unfinished WHERE finished_at IS NULL AND workspace_id = ?`,
  get: `
    SELECT ${REPLAY_COLUMNS} FROM replays r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = ? AND r.workspace_id = ?`,
}

type ReplayVerbs = Pick<VerbTable, 'countReplayable' | 'createReplay' | 'getReplay' | 'stepReplays'>

export function replayVerbs({ db }: Store): ReplayVerbs {
  const unfinished = db.prepare<[number], number>(replaySql.unfinished).pluck()
  const create = db.prepare<Omit<VerbParams<'createReplay'>, 'maxUnfinished'>>(replaySql.create)
  const get = db.prepare<[string, number], ReplayRow>(replaySql.get)

  function find({ publicId, workspaceId }: VerbParams<'getReplay'>): Replay | null {
    const row = get.get(publicId, workspaceId)
    return row === undefined ? null : toReplay(row)
  }

  return {
    countReplayable: replayableCounter(db),
    createReplay({ maxUnfinished, ...params }) {
      if (unfinished.get(params.workspaceId)! >= maxUnfinished) return null
      create.run(params)
      return find(params)!
    },
    getReplay: find,
    stepReplays: replayStepper(db),
  }
}
