import { systemClock } from '../../core/clock.ts'
import { asKind, kindOf, type Role, type VerbParams, type VerbResult, type VerbTable } from './messages.ts'
import { claimVerbs, pullInVerbs } from './queries/claim.ts'
import { counterVerbs } from './queries/counters.ts'
import { nodeVerbs } from './queries/nodes.ts'
import { publishVerbs } from './queries/publish.ts'
import { recordVerbs } from './queries/record.ts'
import { retentionVerbs } from './queries/retention.ts'
import { StepSize } from './stepSize.ts'
import type { Store } from './store.ts'
import { sharedVerbs } from './syncWork.ts'

export function verbTable(store: Store): VerbTable {
  const own = {
    ...claimVerbs(store),
    ...counterVerbs(store),
    ...nodeVerbs(store),
    ...publishVerbs(store),
    ...pullInVerbs(store),
    ...recordVerbs(store),
    ...retentionVerbs(store),
  }
  return inSteps({ ...own, ...sharedVerbs(store, own) })
}

/** Background work that goes on in steps for as long as there is more, so that a step may do less than it was asked for. */
function inSteps(verbs: VerbTable): VerbTable {
  const step = <Name extends Stepped>(
    name: Name,
    isFull: (result: VerbResult<Name>, limit: number) => boolean,
  ) => {
    const work = verbs[name] as (step: VerbParams<Name>) => VerbResult<Name>
    const size = new StepSize({ clock: systemClock, work, isFull })
    return { [name]: asKind((params: VerbParams<Name>) => size.run(params), kindOf(verbs[name])) }
  }
  return {
    ...verbs,
    ...step('cancelDeliveries', (canceled, limit) => canceled >= limit),
    ...step('indexCodes', ({ more }) => more),
    ...step('stepReplays', ({ looked }, limit) => looked >= limit),
  }
}

type Stepped = 'cancelDeliveries' | 'indexCodes' | 'stepReplays'

/** Slow lists that are not urgent. */
const IN_BACKGROUND: readonly string[] = ['readUnindexed']

/** Lists are read by threads of their own, so that they delay no commit. */
export function routesOf(verbs: VerbTable): Record<string, Role> {
  return Object.fromEntries(
    Object.entries(verbs).map(([name, verb]) => {
      if (kindOf(verb) !== 'list') return [name, 'writer']
      return [name, IN_BACKGROUND.includes(name) ? 'background' : 'reader']
    }),
  )
}
