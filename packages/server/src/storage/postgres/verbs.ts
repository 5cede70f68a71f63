import { sharedVerbs } from './asyncWork.ts'
import { claimVerbs, pullInVerbs } from './queries/claim.ts'
import { counterVerbs } from './queries/counters.ts'
import { nodeVerbs } from './queries/nodes.ts'
import { type Publish, publishVerbs } from './queries/publish.ts'
import { recordVerbs } from './queries/record.ts'
import { retentionVerbs } from './queries/retention.ts'
import type { Store } from './store.ts'
import type { VerbTable } from './verb.ts'

export function verbTable(store: Store, publish: Publish): VerbTable {
  const own = {
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...nodeVerbs(store),
    ...publishVerbs(store, publish),
    ...pullInVerbs(store),
    ...recordVerbs(store),
    ...retentionVerbs(store),
  }
  return { ...own, ...sharedVerbs(store, own) }
}
