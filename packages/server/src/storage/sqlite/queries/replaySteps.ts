import {
  beginning,
  chooseNext,
  type DeadRow,
  PROGRESS_COLUMNS,
  type ProgressRow,
  progressOf,
  type ReplayPosition,
} from '../../replayProgress.ts'
import type { Connection } from '../connection.ts'
import type { VerbParams } from '../messages.ts'
import { replayableWebhooks } from './replayable.ts'
import { runStarter } from './runs.ts'

const dead = (condition: string) => `
  SELECT d.id, d.created_at, d.finished_at, (SELECT type FROM events WHERE id = d.event_id) AS type
  FROM deliveries d INDEXED BY deliveries_unhealthy
  WHERE d.webhook_id = ? AND d.status = 'dead' AND ${condition}`

export const replayStepSql = {
  /** The workspace after the one whose turn was last, round and round. */
  turn: `
    SELECT coalesce(min(workspace_id) FILTER (WHERE workspace_id > ?), min(workspace_id)) AS workspaceId
    FROM replays INDEXED BY replays_unfinished WHERE finished_at IS NULL`,
  oldest: `
    SELECT ${PROGRESS_COLUMNS}
    FROM replays INDEXED BY replays_unfinished WHERE finished_at IS NULL AND workspace_id = ?
    ORDER BY id LIMIT 1`,
  /** Two statements for the same reason as in the walk of a search. */
  sameTime: `${dead('d.created_at = ? AND d.id > ?')} ORDER BY d.id LIMIT ?`,
  later: `${dead('d.created_at > ? AND d.created_at < ?')} ORDER BY d.created_at, d.id LIMIT ?`,
  save: `
    UPDATE replays SET replayed = @replayed, at_webhook_id = @webhookId, at_time = @time,
      at_delivery_id = @deliveryId, finished_at = @finishedAt
    WHERE id = @id`,
}

/**
 * Carries replays on, those of a workspace one after another. Workspaces take turns, so that nobody waits for all that
 * somebody else has asked for. A replay never goes back to what it has looked at, so that a delivery which it
 * replays and which dies again is left alone. A dead delivery is held by no node: the database sees to that.
 */
export function replayStepper(db: Connection): (params: VerbParams<'stepReplays'>) => number {
  const turn = db.prepare<[number], { readonly workspaceId: number | null }>(replayStepSql.turn)
  const oldest = db.prepare<[number], ProgressRow>(replayStepSql.oldest)
  const save = db.prepare<Record<string, number | null>>(replayStepSql.save)
  const nextWebhook = replayableWebhooks(db)
  const startRun = runStarter(db)
  const deadAfter = deadReader(db)

  /** @returns how many rows it looked at, of which each webhook and the end of the replay count as one */
  function step(replay: ProgressRow, limit: number, now: number): number {
    const { id, workspace_id: workspaceId, webhook_id: only, max } = replay
    const progress = progressOf(replay, limit)
    let finishedAt: number | null = null
    while (progress.left > 0 && finishedAt === null) {
      const { at, replayed, left } = progress
      const webhookId = replayed < max ? nextWebhook(workspaceId, at.webhookId, only) : undefined
      if (webhookId === undefined) {
        finishedAt = now
        progress.left--
        continue
      }
      if (webhookId !== at.webhookId) progress.at = beginning(replay, webhookId)
      const rows = deadAfter(progress.at, replay.to_time, left)
      for (const { id } of chooseNext(replay, progress, rows)) startRun(id, 'replay', now)
      if (rows.length === left) continue
      progress.at = beginning(replay, webhookId + 1)
      progress.left--
    }
    save.run({ id, replayed: progress.replayed, ...progress.at, finishedAt })
    return limit - progress.left
  }

  let lastWorkspaceId = 0
  return ({ now, limit }) => {
    let left = limit
    while (left > 0) {
      const { workspaceId } = turn.get(lastWorkspaceId)!
      if (workspaceId === null) break
      lastWorkspaceId = workspaceId
      left -= step(oldest.get(workspaceId)!, left, now)
    }
    return limit - left
  }
}

/** @returns a function that reads dead deliveries of a webhook that come after a position, oldest first. */
function deadReader(db: Connection) {
  const sameTime = db.prepare<[number, number, number, number], DeadRow>(replayStepSql.sameTime)
  const later = db.prepare<[number, number, number, number], DeadRow>(replayStepSql.later)
  return ({ webhookId, time, deliveryId }: ReplayPosition, to: number | null, limit: number): DeadRow[] => {
    const end = to ?? Number.MAX_SAFE_INTEGER
    if (time >= end) return []
    const rows = sameTime.all(webhookId, time, deliveryId, limit)
    if (rows.length < limit) rows.push(...later.all(webhookId, time, end, limit - rows.length))
    return rows
  }
}
