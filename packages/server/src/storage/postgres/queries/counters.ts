import type { Store } from '../store.ts'
import { hot, single, type VerbTable } from '../verb.ts'
import { storeNothing } from './publishRows.ts'

const counterSql = {
  check: 'UPDATE store SET checks = checks + 1',
}

export function counterVerbs(_store: Store): Pick<VerbTable, 'check'> {
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
