import { cancelVerbs } from './areas/cancel.ts'
import { claimVerbs } from './areas/claim.ts'
import { counterVerbs } from './areas/counters.ts'
import { fanoutVerbs } from './areas/fanoutSteps.ts'
import { feedVerbs } from './areas/feed.ts'
import { logVerbs } from './areas/log.ts'
import { nodeVerbs } from './areas/nodes.ts'
import { overviewVerbs } from './areas/overviews.ts'
import { type Publish, publishVerbs } from './areas/publish.ts'
import { pullInVerbs } from './areas/pullIn.ts'
import { queueVerbs } from './areas/queue.ts'
import { recordVerbs } from './areas/record.ts'
import { replayableCounter } from './areas/replayable.ts'
import { replayStepper } from './areas/replaySteps.ts'
import { retentionVerbs } from './areas/retention.ts'
import { sharedVerbs } from './asyncWork.ts'
import type { Store } from './store.ts'
import { reads, type VerbTable, writes } from './verb.ts'

export function verbTable(store: Store, publish: Publish): VerbTable {
  const own = {
    ...cancelVerbs(store),
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...fanoutVerbs(store),
    ...feedVerbs(store),
    ...logVerbs(store),
    ...nodeVerbs(store),
    ...overviewVerbs(store),
    ...publishVerbs(store, publish),
    ...pullInVerbs(store),
    ...queueVerbs(store),
    ...recordVerbs(store),
    countReplayable: reads<'countReplayable'>(replayableCounter()),
    stepReplays: writes<'stepReplays'>(replayStepper(store)),
    ...retentionVerbs(store),
  }
  return { ...own, ...sharedVerbs(store, own) }
}
