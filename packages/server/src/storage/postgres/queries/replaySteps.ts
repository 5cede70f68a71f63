import {
  beginning,
  chooseNext,
  type DeadRow,
  PROGRESS_COLUMNS,
  type Progress,
  type ProgressRow,
  progressOf,
} from '../../replayProgress.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import type { VerbParams } from '../verb.ts'
import { REPLAYABLE } from './replayable.ts'
import { startRuns } from './runs.ts'

export const replayStepSql = {
  /** The oldest of the workspace after the one whose turn was last, round and round. */
  next: `
    SELECT ${PROGRESS_COLUMNS} FROM (
      (SELECT 1 AS round, * FROM replays WHERE finished_at IS NULL AND workspace_id > $1
        ORDER BY workspace_id, id LIMIT 1)
      UNION ALL
      (SELECT 2 AS round, * FROM replays WHERE finished_at IS NULL ORDER BY workspace_id, id LIMIT 1)) r
    ORDER BY round LIMIT 1`,
  /**
   * Webhooks from a position on, each with its dead deliveries; one that has none is there with none. They are joined
   * one after another, so they come in order without being sorted, and no further than the limit.
   */
  dead: `
    SELECT w.id AS webhook_id, d.id, d.created_at, d.finished_at,
      (SELECT type FROM events e WHERE e.id = d.event_id AND e.created_at = d.created_at) AS type
    FROM (
      SELECT w.id, w.id = $2::bigint AS begun FROM webhooks w
      WHERE w.workspace_id = $1 AND w.id >= greatest($2::bigint, $5::bigint) AND w.id <= $6::bigint AND ${REPLAYABLE}
      ORDER BY w.id LIMIT $9::int) w
    LEFT JOIN LATERAL (
      SELECT id, created_at, finished_at, event_id FROM deliveries
      WHERE webhook_id = w.id AND ended_badly = 'dead' AND created_at >= $7::bigint AND created_at < $8::bigint
        AND (created_at, id) > (CASE WHEN w.begun THEN $3::bigint ELSE $7 END, CASE WHEN w.begun THEN $4::bigint ELSE 0 END)
      ORDER BY created_at, id LIMIT $9) d ON true
    LIMIT $9`,
  save: `
    UPDATE replays SET replayed = $2, at_webhook_id = $3, at_time = $4, at_delivery_id = $5, finished_at = $6
    WHERE id = $1`,
}

/** A dead delivery, or a webhook that has none from the position on. */
type Row = { readonly webhook_id: number } & (DeadRow | { readonly id: null })

/**
 * Carries replays on, those of a workspace one after another. Workspaces take turns, so that nobody waits for all that
 * somebody else has asked for. A replay never goes back to what it has looked at, so that a delivery which it
 * replays and which dies again is left alone. A dead delivery is held by no node: the database sees to that.
 */
export function replayStepper({
  locks,
}: Pick<Store, 'locks'>): (tx: Tx, params: VerbParams<'stepReplays'>) => Promise<number> {
  let lastWorkspaceId = 0
  return async (tx, { now, limit }) => {
    if (!(await locks.tryAlone(tx, 'replays'))) return 0
    const replay = await tx.row<ProgressRow>(replayStepSql.next, [lastWorkspaceId])
    if (replay === undefined) return 0
    await locks.keep(tx, [replay.workspace_id])
    tx.onCommit(() => {
      lastWorkspaceId = replay.workspace_id
    })
    return step(tx, replay, limit, now)
  }
}

/** @returns how many rows it looked at, of which each webhook and the end of the replay count as one */
async function step(tx: Tx, replay: ProgressRow, limit: number, now: number): Promise<number> {
  const progress = progressOf(replay, limit)
  const rows = progress.replayed < replay.max ? await readDead(tx, replay, progress) : []
  const chosen = chooseOf(rows, replay, progress)
  if (chosen.length > 0) {
    const places = chosen.map(({ id, created_at: createdAt }) => ({ id, createdAt }))
    const start = { trigger: 'replay', from: 'dead', finishedBy: replay.created_at, now } as const
    // Fewer when somebody has just sent one of them again.
    progress.replayed += (await startRuns(tx, places, start)) - chosen.length
  }
  const passedAll = rows.length === 0 || progress.at.webhookId > rows.at(-1)!.webhook_id
  const ends = progress.left > 0 && (passedAll || progress.replayed === replay.max)
  if (ends) progress.left--
  const { webhookId, time, deliveryId } = progress.at
  const values = [replay.id, progress.replayed, webhookId, time, deliveryId, ends ? now : null]
  await tx.run(replayStepSql.save, values)
  return limit - progress.left
}

function readDead(tx: Tx, replay: ProgressRow, { at, left }: Progress): Promise<readonly Row[]> {
  const { workspace_id, webhook_id: only, from_time: from, to_time: to } = replay
  const webhooks = [only ?? 0, only ?? Number.MAX_SAFE_INTEGER]
  const times = [from ?? 0, to ?? Number.MAX_SAFE_INTEGER]
  const values = [workspace_id, at.webhookId, at.time, at.deliveryId, ...webhooks, ...times, left]
  return tx.rows<Row>(replayStepSql.dead, values)
}

/** Goes over webhooks and their dead deliveries as far as there is room. @returns those to replay */
function chooseOf(rows: readonly Row[], replay: ProgressRow, progress: Progress): DeadRow[] {
  const chosen: DeadRow[] = []
  for (const [webhookId, dead] of byWebhook(rows)) {
    if (progress.left === 0) break
    if (webhookId !== progress.at.webhookId) progress.at = beginning(replay, webhookId)
    chosen.push(...chooseNext(replay, progress, dead.slice(0, progress.left)))
    if (progress.left === 0 || progress.replayed === replay.max) break
    progress.at = beginning(replay, webhookId + 1)
    progress.left--
  }
  return chosen
}

function byWebhook(rows: readonly Row[]): Map<number, DeadRow[]> {
  const groups = new Map<number, DeadRow[]>()
  for (const row of rows) {
    const group = groups.get(row.webhook_id) ?? []
    if (row.id !== null) group.push(row)
    groups.set(row.webhook_id, group)
  }
  return groups
}
