import { DAY_MS } from '../../../core/duration.ts'
import { EVENTS_COUNTED } from '../../queries/feed.ts'
import type { Store } from '../store.ts'
import { texts } from '../values.ts'
import { hot, reads, single, type VerbTable } from '../verb.ts'
import { storeNothing } from './publishRows.ts'

export const counterSql = {
  check: 'UPDATE store SET checks = checks + 1',
  /** @param $3 the midnight before $4, so that no day before it is looked at and rows of that day count as looked at */
  countEvents: `
    SELECT count(*) FILTER (WHERE created_at >= $4 AND (cardinality($2::text[]) = 0 OR type = ANY ($2::text[]))) AS found,
      count(*) FILTER (WHERE created_at >= $4) AS later
    FROM (
      SELECT e.type, e.created_at FROM events e
      WHERE e.workspace_id = $1 AND e.xact IS NOT NULL AND e.created_at >= $3
      ORDER BY e.xact DESC, e.id DESC LIMIT ${EVENTS_COUNTED}) looked`,
}

export function counterVerbs(_store: Store): Pick<VerbTable, 'check' | 'countEvents'> {
  return {
    // A read would succeed on a standby, and on a disk that is full. The tables come first: a call that waited for them with the
    // row of the store in hand would keep all nodes from renewing their leases.
    check: hot(
      single(async (tx) => {
        await storeNothing(tx)
        await tx.run(counterSql.check)
      }),
    ),
    countEvents: reads(async (tx, { workspaceId, eventTypes, since, max }) => {
      const midnight = Math.floor(since / DAY_MS) * DAY_MS
      const values = [workspaceId, texts(eventTypes), midnight, since]
      const { found, later } = (await tx.row<{ found: number; later: number }>(
        counterSql.countEvents,
        values,
      ))!
      return { count: Math.min(found, max), more: found > max || later === EVENTS_COUNTED }
    }),
  }
}
