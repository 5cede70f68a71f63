import type { Store } from '../store.ts'
import { reads, single, type VerbResult, type VerbTable } from '../verb.ts'

const sql = {
  read: 'SELECT steady_at AS "steadyAt", leapt_at AS "leaptAt" FROM clock WHERE id = 1',
  note: `
    UPDATE clock SET steady_at = coalesce($1, steady_at), leapt_at = coalesce($2, leapt_at) WHERE id = 1`,
}

export function clockVerbs(_store: Store): Pick<VerbTable, 'readClock' | 'noteClock'> {
  return {
    readClock: reads(async (tx) => (await tx.row<VerbResult<'readClock'>>(sql.read))!),
    noteClock: single(async (tx, { steadyAt, leaptAt }) => {
      await tx.run(sql.note, [steadyAt, leaptAt])
    }),
  }
}
