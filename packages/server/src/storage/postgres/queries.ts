import type { Acts } from '../queries/acts.ts'
import { queries } from '../queries/index.ts'
import type { Query } from '../queries/query.ts'
import { isList, type Value } from '../queries/sql.ts'
import type { Ask, Work } from '../queries/work.ts'
import type { VerbName } from '../verbs.ts'
import { cancel } from './areas/cancel.ts'
import { bumpMatching } from './areas/matching.ts'
import { numbers, texts } from './arrays.ts'
import type { Store } from './store.ts'
import type { Isolation, Tx } from './transaction.ts'
import type { Verb, VerbTable } from './verb.ts'

type ActsOn = {
  readonly [Name in keyof Acts]: (tx: Tx, ...params: Parameters<Acts[Name]>) => Promise<unknown>
}

/** The queries that both databases share. */
export function sharedVerbs(store: Store): Pick<VerbTable, keyof typeof queries> {
  const acts = actsOn(store)
  return Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [name, verbOf(query as Query<VerbName>, acts)]),
  ) as unknown as Pick<VerbTable, keyof typeof queries>
}

function verbOf(query: Query<VerbName>, acts: ActsOn): Verb<VerbName> {
  return {
    pool: query.hot ? 'hot' : 'rest',
    isolation: isolationOf(query),
    run: (tx, params) => carryOut(tx, acts, query.work(params)),
  }
}

function isolationOf({ kind, together }: Query<VerbName>): Isolation {
  if (!together) return 'none'
  return kind === 'write' ? 'write' : 'snapshot'
}

async function carryOut<Result>(tx: Tx, acts: ActsOn, work: Work<Result>): Promise<Result> {
  let step = work.next()
  while (step.done !== true) step = work.next(await answer(tx, acts, step.value))
  return step.value
}

function answer(tx: Tx, acts: ActsOn, ask: Ask): Promise<unknown> {
  if (ask.kind === 'all') return Promise.all(ask.works.map((work) => carryOut(tx, acts, work)))
  if (ask.kind === 'act')
    return (acts[ask.name] as (tx: Tx, ...params: readonly unknown[]) => Promise<unknown>)(tx, ...ask.params)
  return tx[ask.kind](ask.statement.postgres, ask.values.map(encoded))
}

function encoded(value: Value): unknown {
  if (!isList(value)) return value
  return value.type === 'bigint'
    ? numbers(value.members as readonly number[])
    : texts(value.members as readonly string[])
}

function actsOn({ locks }: Store): ActsOn {
  return {
    excludePublishes: (tx, workspaceIds) => locks.exclude(tx, workspaceIds),
    matchingChanged: bumpMatching,
    cancelPending: cancel,
  }
}
