import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { replayableCounter } from './replayable.ts'
import { replayStepper } from './replaySteps.ts'

export function replayVerbs(store: Store): Pick<VerbTable, 'countReplayable' | 'stepReplays'> {
  return { countReplayable: reads(replayableCounter()), stepReplays: writes(replayStepper(store)) }
}
