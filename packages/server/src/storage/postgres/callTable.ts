import { sharedCalls } from './asyncWork.ts'
import type { CallTable } from './call.ts'
import { claimCalls, pullInCalls } from './queries/claim.ts'
import { counterCalls } from './queries/counters.ts'
import { nodeCalls } from './queries/nodes.ts'
import { type Publish, publishCalls } from './queries/publish.ts'
import { recordCalls } from './queries/record.ts'
import { retentionCalls } from './queries/retention.ts'
import type { Store } from './store.ts'

export function callTable(store: Store, publish: Publish): CallTable {
  const own = {
    ...claimCalls(store),
    ...counterCalls(store),
    ...nodeCalls(store),
    ...publishCalls(store, publish),
    ...pullInCalls(store),
    ...recordCalls(store),
    ...retentionCalls(store),
  }
  return { ...own, ...sharedCalls(store, own) }
}
