import type { Replay } from '../../rows.ts'
import type { VerbParams, VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { replayableCounter } from './replayable.ts'
import { replayStepper } from './replaySteps.ts'

export const replaySql = {
  create: `
    INSERT INTO replays (public_id, workspace_id, webhook_id, event_type, from_time, to_time, max, total, created_at)
    VALUES (@publicId, @workspaceId, @webhookId, @eventType, @from, @to, @max, @total, @now)`,
  get: `
    SELECT r.id, r.public_id, r.event_type, r.from_time, r.to_time, r.total, r.replayed, r.created_at,
      r.finished_at, w.public_id AS webhook_public_id
    FROM replays r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = ? AND r.workspace_id = ?`,
}

interface Row {
  readonly id: number
  readonly public_id: string
  readonly webhook_public_id: string | null
  readonly event_type: string | null
  readonly from_time: number | null
  readonly to_time: number | null
  readonly total: number
  readonly replayed: number
  readonly created_at: number
  readonly finished_at: number | null
}

type ReplayVerbs = Pick<VerbTable, 'countReplayable' | 'createReplay' | 'getReplay' | 'stepReplays'>

export function replayVerbs({ db }: Store): ReplayVerbs {
  const create = db.prepare<VerbParams<'createReplay'>>(replaySql.create)
  const get = db.prepare<[string, number], Row>(replaySql.get)

  function find({ publicId, workspaceId }: VerbParams<'getReplay'>): Replay | null {
    const row = get.get(publicId, workspaceId)
    return row === undefined ? null : toReplay(row)
  }

  return {
    countReplayable: replayableCounter(db),
    createReplay(params) {
      create.run(params)
      return find(params)!
    },
    getReplay: find,
    stepReplays: replayStepper(db),
  }
}

function toReplay(row: Row): Replay {
  return {
    id: row.id,
    publicId: row.public_id,
    webhookPublicId: row.webhook_public_id,
    eventType: row.event_type,
    from: row.from_time,
    to: row.to_time,
    total: row.total,
    replayed: row.replayed,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}
