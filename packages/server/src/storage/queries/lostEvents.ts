import { groupBy } from '../../core/groupBy.ts'
import { sql } from './sql.ts'
import { rows, run, type Work } from './work.ts'

export const lostSql = {
  behind: sql`
    SELECT id, workspace_id AS "workspaceId", event_types AS "eventTypes", major FROM consumers WHERE major < $1`,
  note: sql`UPDATE consumers SET lost = lost + $2, lost_at = $3 WHERE id = $1`,
}

/** An event that the retention of the embedded store has removed. */
export interface RemovedEvent {
  readonly workspaceId: number
  readonly type: string
  /** In the feed. */
  readonly place: number
}

interface Behind {
  readonly id: number
  readonly workspaceId: number
  /** As JSON; `null`: all. */
  readonly eventTypes: string | null
  readonly major: number
}

/** Counts for each consumer which of these it had not acknowledged. */
export function* noteLost(removed: readonly RemovedEvent[], now: number): Work<void> {
  if (removed.length === 0) return
  const last = removed.reduce((most, { place }) => Math.max(most, place), 0)
  const behind = yield* rows<Behind>(lostSql.behind, [last])
  const byWorkspace = groupBy(removed, ({ workspaceId }) => workspaceId)
  for (const { id, workspaceId, eventTypes, major } of behind) {
    const types = eventTypes === null ? null : (JSON.parse(eventTypes) as string[])
    const lost = (byWorkspace.get(workspaceId) ?? []).filter(
      ({ place, type }) => place > major && (types === null || types.includes(type)),
    )
    if (lost.length > 0) yield* run(lostSql.note, [id, lost.length, now])
  }
}
