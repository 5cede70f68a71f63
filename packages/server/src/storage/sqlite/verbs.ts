import { cancelVerbs } from './areas/cancel.ts'
import { claimVerbs } from './areas/claim.ts'
import { counterVerbs } from './areas/counters.ts'
import { fanoutVerbs } from './areas/fanoutSteps.ts'
import { feedVerbs } from './areas/feed.ts'
import { logVerbs } from './areas/log.ts'
import { nodeVerbs } from './areas/nodes.ts'
import { overviewVerbs } from './areas/overviews.ts'
import { publishVerbs } from './areas/publish.ts'
import { pullInVerbs } from './areas/pullIn.ts'
import { queueVerbs } from './areas/queue.ts'
import { recordVerbs } from './areas/record.ts'
import { replayableCounter } from './areas/replayable.ts'
import { replayStepper } from './areas/replaySteps.ts'
import { retentionVerbs } from './areas/retention.ts'
import { kindOf, listing } from './kinds.ts'
import type { Role, VerbTable } from './messages.ts'
import type { Store } from './store.ts'
import { sharedVerbs } from './syncWork.ts'

export function verbTable(store: Store): VerbTable {
  const own = {
    ...cancelVerbs(store),
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...fanoutVerbs(store),
    ...feedVerbs(store),
    ...logVerbs(store),
    ...nodeVerbs(store),
    ...overviewVerbs(store),
    ...publishVerbs(store),
    ...pullInVerbs(store),
    ...queueVerbs(store),
    ...recordVerbs(store),
    countReplayable: listing(replayableCounter(store.db)),
    stepReplays: replayStepper(store.db),
    ...retentionVerbs(store),
  }
  return { ...own, ...sharedVerbs(store, own) }
}

/** Lists are read by a thread of their own, so that they delay no commit. */
export function routesOf(verbs: VerbTable): Record<string, Role> {
  return Object.fromEntries(
    Object.entries(verbs).map(([name, verb]) => [name, kindOf(verb) === 'list' ? 'reader' : 'writer']),
  )
}
