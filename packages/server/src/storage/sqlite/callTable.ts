import { systemClock } from '../../core/clock.ts'
import { asKind, type CallParams, type CallResult, type CallTable, kindOf, type Role } from './messages.ts'
import { claimCalls, pullInCalls } from './queries/claim.ts'
import { counterCalls } from './queries/counters.ts'
import { nodeCalls } from './queries/nodes.ts'
import { publishCalls } from './queries/publish.ts'
import { recordCalls } from './queries/record.ts'
import { retentionCalls } from './queries/retention.ts'
import { StepSize } from './stepSize.ts'
import type { Store } from './store.ts'
import { sharedCalls } from './syncWork.ts'

export function callTable(store: Store): CallTable {
  const own = {
    ...claimCalls(store),
    ...counterCalls(store),
    ...nodeCalls(store),
    ...publishCalls(store),
    ...pullInCalls(store),
    ...recordCalls(store),
    ...retentionCalls(store),
  }
  return inSteps({ ...own, ...sharedCalls(store, own) })
}

/** Background work that goes on in steps for as long as there is more, so that a step may do less than it was asked for. */
function inSteps(table: CallTable): CallTable {
  const step = <Name extends Stepped>(
    name: Name,
    isFull: (result: CallResult<Name>, limit: number) => boolean,
  ) => {
    const work = table[name] as (step: CallParams<Name>) => CallResult<Name>
    const size = new StepSize({ clock: systemClock, work, isFull })
    return { [name]: asKind((params: CallParams<Name>) => size.run(params), kindOf(table[name])) }
  }
  return {
    ...table,
    ...step('cancelDeliveries', (canceled, limit) => canceled >= limit),
    ...step('indexCodes', ({ more }) => more),
    ...step('stepReplays', ({ looked }, limit) => looked >= limit),
  }
}

type Stepped = 'cancelDeliveries' | 'indexCodes' | 'stepReplays'

/** Slow lists that are not urgent. */
const IN_BACKGROUND: readonly string[] = ['readUnindexed']

/** Lists are read by threads of their own, so that they delay no commit. */
export function routesOf(table: CallTable): Record<string, Role> {
  return Object.fromEntries(
    Object.entries(table).map(([name, call]) => {
      if (kindOf(call) !== 'list') return [name, 'writer']
      return [name, IN_BACKGROUND.includes(name) ? 'background' : 'reader']
    }),
  )
}
