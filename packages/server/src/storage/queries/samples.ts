import type { CallResult } from '../callGroups.ts'
import type { QueuePeak } from '../storage.ts'
import { list, lookup, type Queries, writeStatement } from './query.ts'
import { sql, typed } from './sql.ts'
import { row, rows, run } from './work.ts'

const FROM = typed('$1', 'bigint')
/** SQLite binds a large number as a floating point one, which would not be divided like an integer. */
const STEP = 'CAST($3 AS BIGINT)'
const PLACE = sql`CAST(at - ${FROM} AS BIGINT) / ${STEP}`

export const queueSampleSql = {
  has: sql`SELECT 1 AS found FROM queue_samples WHERE at = $1`,
  keep: sql`
    INSERT INTO queue_samples (at, pending, due, oldest_due_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
  peaks: sql`
    SELECT ${FROM} + place * ${STEP} AS at, max(pending) AS pending, max(waited) AS "oldestDueMs"
    FROM (
      SELECT ${PLACE} AS place, pending, coalesce(at - oldest_due_at, 0) AS waited
      FROM queue_samples WHERE at >= $1 AND at < $2) samples
    GROUP BY place ORDER BY 1`,
}

export const queueSampleQueries: Queries<'hasQueueSample' | 'keepQueueSample' | 'queuePeaks'> = {
  hasQueueSample: lookup(function* ({ at }) {
    return (yield* row(queueSampleSql.has, [at])) !== undefined
  }),
  keepQueueSample: writeStatement(function* ({ at, pending, due, oldestDueAt }) {
    yield* run(queueSampleSql.keep, [at, pending, due, oldestDueAt])
  }),
  queuePeaks: list(({ from, to, stepMs }) => rows<QueuePeak>(queueSampleSql.peaks, [from, to, stepMs])),
}

export const clockSql = {
  read: sql`SELECT steady_at AS "steadyAt", leapt_at AS "leaptAt" FROM clock WHERE id = 1`,
  note: sql`
    UPDATE clock SET steady_at = coalesce($1, steady_at), leapt_at = coalesce($2, leapt_at) WHERE id = 1`,
}

export const clockQueries: Queries<'readClock' | 'noteClock'> = {
  readClock: lookup(function* () {
    return (yield* row<CallResult<'readClock'>>(clockSql.read))!
  }),
  noteClock: writeStatement(function* ({ steadyAt, leaptAt }) {
    yield* run(clockSql.note, [steadyAt, leaptAt])
  }),
}
