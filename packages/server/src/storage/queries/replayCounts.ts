import type { AttemptToRecord } from '../storage.ts'
import { FOR_UPDATE, isOneOf, numberList, records, sql, tableOf } from './sql.ts'
import { all, run, type Work } from './work.ts'

/** Whether a bulk replay may still change. */
export const GOES_ON = 'done_at IS NULL AND canceled_at IS NULL'

const replayCountSql = {
  lock: sql`SELECT id FROM replays WHERE id ${isOneOf('$1', 'bigint')} ORDER BY id ${FOR_UPDATE}`,
  addCounts: sql`
    UPDATE replays SET delivered = replays.delivered + x.delivered, failed = replays.failed + x.failed,
      done_at = CASE WHEN finished_at IS NOT NULL AND ${GOES_ON}
          AND replays.delivered + x.delivered + replays.failed + x.failed >= replayed THEN $2
        ELSE done_at END
    FROM ${tableOf('x', '$1', { id: 'bigint', delivered: 'bigint', failed: 'bigint' })} WHERE replays.id = x.id`,
}

/** Counts what ended of the runs that bulk replays began. @param results that were recorded */
export function* countReplayed(results: readonly AttemptToRecord[], now: number): Work<void> {
  const counts = new EndedCounts()
  for (const { replayId, next } of results)
    if (replayId !== null && next.status !== 'pending')
      counts.add(replayId, next.status === 'delivered' ? 'delivered' : 'failed')
  yield* counts.save(now)
}

/** How many deliveries of runs that bulk replays began have ended. */
export class EndedCounts {
  readonly #counts = new Map<number, { id: number; delivered: number; failed: number }>()

  add(replayId: number, how: 'delivered' | 'failed'): void {
    const count = this.#counts.get(replayId) ?? { id: replayId, delivered: 0, failed: 0 }
    count[how]++
    this.#counts.set(replayId, count)
  }

  *save(now: number): Work<void> {
    // Nearly every call.
    if (this.#counts.size === 0) return
    yield* all(
      run(replayCountSql.lock, [numberList(this.#counts.keys())]),
      run(replayCountSql.addCounts, [records([...this.#counts.values()]), now]),
    )
  }
}
