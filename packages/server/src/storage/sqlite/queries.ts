import { queries } from '../queries/index.ts'
import type { Acts } from '../queries/acts.ts'
import { isList, type Statement, type Value } from '../queries/sql.ts'
import type { Ask, Work } from '../queries/work.ts'
import { canceler } from './areas/cancel.ts'
import type { VerbTable } from './messages.ts'
import type { Store } from './store.ts'

type Prepared = ReturnType<Store['db']['prepare']>

/** The queries that both databases share, carried out step by step within the transaction of their caller. */
export function sharedVerbs(store: Store): Pick<VerbTable, keyof typeof queries> {
  const { db } = store
  const prepared = new Map<Statement, Prepared>()
  const acts = actsOn(store)

  function prepare(statement: Statement): Prepared {
    let known = prepared.get(statement)
    if (known === undefined) {
      known = db.prepare(statement.sqlite)
      prepared.set(statement, known)
    }
    return known
  }

  function answer(ask: Ask): unknown {
    if (ask.kind === 'all') return ask.works.map(carryOut)
    if (ask.kind === 'act') return (acts[ask.name] as (...params: readonly unknown[]) => unknown)(...ask.params)
    const statement = prepare(ask.statement)
    const values = bound(ask.values)
    if (ask.kind === 'run') return statement.run(values).changes
    return ask.kind === 'row' ? statement.get(values) : statement.all(values)
  }

  function carryOut<Result>(work: Work<Result>): Result {
    let step = work.next()
    while (step.done !== true) step = work.next(answer(step.value))
    return step.value
  }

  return Object.fromEntries(
    Object.entries(queries).map(([name, { work }]) => [
      name,
      (params: never) => carryOut((work as (params: never) => Work<unknown>)(params)),
    ]),
  ) as unknown as Pick<VerbTable, keyof typeof queries>
}

/** By the names that `$1`, `$2`, … have. */
function bound(values: readonly Value[]): Record<string, unknown> {
  return Object.fromEntries(
    values.map((value, at) => [at + 1, isList(value) ? JSON.stringify(value.members) : value]),
  )
}

function actsOn({ db, matchCache }: Store): Acts {
  const { cancel } = canceler(db)
  return {
    // All writes go through one connection, one after another.
    excludePublishes() {},
    matchingChanged(workspaceIds) {
      for (const id of workspaceIds) matchCache.forget(id)
    },
    cancelPending: cancel,
  }
}
