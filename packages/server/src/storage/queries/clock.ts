import type { VerbResult } from '../areas.ts'
import { look, type Queries, writeAlone } from './query.ts'
import { sql } from './sql.ts'
import { row, run } from './work.ts'

const clockSql = {
  read: sql`SELECT steady_at AS "steadyAt", leapt_at AS "leaptAt" FROM clock WHERE id = 1`,
  note: sql`
    UPDATE clock SET steady_at = coalesce($1, steady_at), leapt_at = coalesce($2, leapt_at) WHERE id = 1`,
}

export const clockQueries: Queries<'readClock' | 'noteClock'> = {
  readClock: look(function* () {
    return (yield* row<VerbResult<'readClock'>>(clockSql.read))!
  }),
  noteClock: writeAlone(function* ({ steadyAt, leaptAt }) {
    yield* run(clockSql.note, [steadyAt, leaptAt])
  }),
}
