import type { Store } from '../store.ts'
import { hot, single, type VerbTable } from '../verb.ts'
import { storeNothing } from './publishRows.ts'

const sql = {
  takeEventIds: 'UPDATE store SET next_event_id = next_event_id + $1 RETURNING next_event_id - $1 AS first',
  check: 'UPDATE store SET checks = checks + 1',
}

export function counterVerbs(_store: Store): Pick<VerbTable, 'reserveEventIds' | 'check'> {
  return {
    reserveEventIds: hot(
      single(async (tx, { count }) => (await tx.row<{ first: number }>(sql.takeEventIds, [count]))!.first),
    ),
    // A read would succeed on a standby, and on a disk that is full. The tables come first: whoever waited for them with the
    // row of the store in hand would keep all nodes from renewing their leases.
    check: hot(
      single(async (tx) => {
        await storeNothing(tx)
        await tx.run(sql.check)
      }),
    ),
  }
}
