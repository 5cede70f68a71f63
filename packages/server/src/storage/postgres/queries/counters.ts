import { type CallTable, hot, single } from '../call.ts'
import type { Store } from '../store.ts'
import { storeNothing } from './publishRows.ts'

const counterSql = {
  check: 'UPDATE store SET checks = checks + 1',
}

export function counterCalls(_store: Store): Pick<CallTable, 'check'> {
  return {
    // A read would succeed on a standby, and on a full disk. The tables come first: a call that waited for them while it locks
    // the row of the store would keep all nodes from renewing their leases.
    check: hot(
      single(async (tx) => {
        await storeNothing(tx)
        await tx.run(counterSql.check)
      }),
    ),
  }
}
