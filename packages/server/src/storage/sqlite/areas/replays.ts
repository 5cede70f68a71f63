import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { replayableCounter } from './replayable.ts'
import { replayStepper } from './replaySteps.ts'

export function replayVerbs({ db }: Store): Pick<VerbTable, 'countReplayable' | 'stepReplays'> {
  return { countReplayable: replayableCounter(db), stepReplays: replayStepper(db) }
}
