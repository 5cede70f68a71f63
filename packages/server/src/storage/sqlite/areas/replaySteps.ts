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
    SELECT id, workspace_id, webhook_id, event_type, from_time, to_time, max, replayed, at_webhook_id, at_time,
      at_delivery_id, created_at
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

interface ReplayRow {
  readonly id: number
  readonly workspace_id: number
  readonly webhook_id: number | null
  readonly event_type: string | null
  readonly from_time: number | null
  readonly to_time: number | null
  readonly max: number
  readonly replayed: number
  readonly at_webhook_id: number
  readonly at_time: number
  readonly at_delivery_id: number
  readonly created_at: number
}

interface DeadRow {
  readonly id: number
  readonly created_at: number
  readonly finished_at: number
  readonly type: string
}

/** The last delivery that was looked at; of a webhook that was not begun, one before its first. */
interface Position {
  readonly webhookId: number
  readonly time: number
  readonly deliveryId: number
}

interface Progress {
  at: Position
  replayed: number
  /** Rows that may still be looked at. */
  left: number
}

/**
 * Carries replays on, those of a workspace one after another. Workspaces take turns, so that nobody waits for all that
 * somebody else has asked for. A replay never goes back to what it has looked at, so that a delivery which it
 * replays and which dies again is left alone. A dead delivery is held by no node: the database sees to that.
 */
export function replayStepper(db: Connection): (params: VerbParams<'stepReplays'>) => number {
  const turn = db.prepare<[number], { readonly workspaceId: number | null }>(replayStepSql.turn)
  const oldest = db.prepare<[number], ReplayRow>(replayStepSql.oldest)
  const save = db.prepare<Record<string, number | null>>(replayStepSql.save)
  const nextWebhook = replayableWebhooks(db)
  const startRun = runStarter(db)
  const deadAfter = deadReader(db)

  function replayThose(rows: readonly DeadRow[], replay: ReplayRow, progress: Progress, now: number): void {
    for (const row of rows) {
      progress.at = { webhookId: progress.at.webhookId, time: row.created_at, deliveryId: row.id }
      progress.left--
      if (!matches(row, replay)) continue
      startRun(row.id, 'replay', now)
      if (++progress.replayed === replay.max) return
    }
  }

  /** @returns how many rows it looked at, of which each webhook and the end of the replay count as one */
  function step(replay: ReplayRow, limit: number, now: number): number {
    const { id, workspace_id: workspaceId, webhook_id: only, max } = replay
    const progress: Progress = { at: startOf(replay), replayed: replay.replayed, left: limit }
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
      replayThose(rows, replay, progress, now)
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
  return ({ webhookId, time, deliveryId }: Position, to: number | null, limit: number): DeadRow[] => {
    const end = to ?? Number.MAX_SAFE_INTEGER
    if (time >= end) return []
    const rows = sameTime.all(webhookId, time, deliveryId, limit)
    if (rows.length < limit) rows.push(...later.all(webhookId, time, end, limit - rows.length))
    return rows
  }
}

function startOf({ at_webhook_id, at_time, at_delivery_id }: ReplayRow): Position {
  return { webhookId: at_webhook_id, time: at_time, deliveryId: at_delivery_id }
}

function beginning({ from_time }: ReplayRow, webhookId: number): Position {
  return { webhookId, time: from_time ?? 0, deliveryId: 0 }
}

function matches({ finished_at, type }: DeadRow, { created_at, event_type }: ReplayRow): boolean {
  return finished_at <= created_at && (event_type === null || event_type === type)
}
