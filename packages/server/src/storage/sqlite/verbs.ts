import { kindOf, type Role, type VerbTable } from './messages.ts'
import { claimVerbs, pullInVerbs } from './queries/claim.ts'
import { counterVerbs } from './queries/counters.ts'
import { nodeVerbs } from './queries/nodes.ts'
import { publishVerbs } from './queries/publish.ts'
import { recordVerbs } from './queries/record.ts'
import { retentionVerbs } from './queries/retention.ts'
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
  return { ...own, ...sharedVerbs(store, own) }
}

/** Lists are read by a thread of their own, so that they delay no commit. */
export function routesOf(verbs: VerbTable): Record<string, Role> {
  return Object.fromEntries(
    Object.entries(verbs).map(([name, verb]) => [name, kindOf(verb) === 'list' ? 'reader' : 'writer']),
  )
}
