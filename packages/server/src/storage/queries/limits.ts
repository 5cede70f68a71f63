import { LEASED, WAITING } from './layout.ts'
import { hotWriteStatement, list, type Queries } from './query.ts'
import { isOneOf, numberList, sql } from './sql.ts'
import { row, run } from './work.ts'

/** Leased deliveries, looked at for all webhooks. */
const MAX_LEASED = 10_000

export const limitSql = {
  release: sql`DELETE FROM limit_owners WHERE node_id = $1 AND webhook_id ${isOneOf('$2', 'bigint')}`,
  forget: sql`DELETE FROM limit_owners WHERE webhook_id = $1`,
  backlog: sql`
    SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM ${WAITING} w WHERE webhook_id = $1 AND due_at <= $2 LIMIT $3) due) AS due,
      (SELECT count(*) FROM (SELECT webhook_id FROM ${LEASED} h LIMIT ${String(MAX_LEASED)}) leased
        WHERE webhook_id = $1) AS leased`,
}

interface Counts {
  readonly due: number
  readonly leased: number
}

export const limitQueries: Queries<'releaseLimits' | 'countDue'> = {
  releaseLimits: hotWriteStatement(function* ({ nodeId, webhookIds }) {
    yield* run(limitSql.release, [nodeId, numberList(webhookIds)])
  }),
  countDue: list(function* ({ webhookId, now, atMost }) {
    const { due, leased } = (yield* row<Counts>(limitSql.backlog, [webhookId, now, atMost + 1]))!
    return { due: Math.min(due + leased, atMost), more: due + leased > atMost }
  }),
}
