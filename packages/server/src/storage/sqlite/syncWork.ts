import { type DriverCalls, newMemory } from '../queries/driverCalls.ts'
import { queries } from '../queries/index.ts'
import { type EachStatement, isList, type Statement, type Value } from '../queries/sql.ts'
import type { Ask, Work } from '../queries/work.ts'
import type { ChangeName, ChangeParams } from '../storage.ts'
import { asKind, type CallTable } from './messages.ts'
import { deliveryMaker } from './queries/fanouts.ts'
import type { Store } from './store.ts'

type Prepared = ReturnType<Store['db']['prepare']>
type CarryOut = <Result>(work: Work<Result>) => Result

/**
 * @param table what a change may carry out
 * @returns a function that carries out queries, step by step, within the transaction of its caller
 */
export function carryOutOn(store: Store, table: () => Partial<CallTable> = () => ({})): CarryOut {
  const { db } = store
  const prepared = new Map<Statement | EachStatement, Prepared>()
  const driverCalls = driverCallsOn(store, table)

  function prepare(statement: Statement | EachStatement): Prepared {
    let known = prepared.get(statement)
    if (known === undefined) {
      known = db.prepare(statement.sqlite)
      prepared.set(statement, known)
    }
    return known
  }

  function answer(ask: Ask): unknown {
    if (ask.kind === 'all') return ask.works.map(carryOut)
    if (ask.kind === 'driverCall')
      return (driverCalls[ask.name] as (...params: readonly unknown[]) => unknown)(...ask.params)
    const statement = prepare(ask.statement)
    if (ask.kind === 'each') {
      const values = byName(ask.values, FIRST_OF_EACH)
      let left = ask.most ?? Number.POSITIVE_INFINITY
      return ask.rows.map((row) => {
        const found = left > 0 ? statement.all(Object.assign(values, row)) : []
        left -= found.length
        return found
      })
    }
    const values = byName(ask.values)
    if (ask.kind === 'run') return statement.run(values).changes
    return ask.kind === 'row' ? statement.get(values) : statement.all(values)
  }

  function carryOut<Result>(work: Work<Result>): Result {
    let step = work.next()
    while (step.done !== true) step = work.next(answer(step.value))
    return step.value
  }

  return carryOut
}

/** The number of the first value beside those of the rows. */
const FIRST_OF_EACH = 3

/** `$1` is named `1`. */
function byName(values: readonly Value[], first = 1): Record<string, unknown> {
  return Object.fromEntries(values.map((value, at) => [at + first, encoded(value)]))
}

function encoded(value: Value | undefined): unknown {
  if (value === undefined) throw new TypeError('a value of a statement is missing')
  if (typeof value === 'boolean') return value ? 1 : 0
  return isList(value) ? JSON.stringify(value.members) : value
}

/** One connection writes, one transaction after another, so that nothing needs to be kept apart. */
function driverCallsOn({ db, matchCache, matchSets }: Store, table: () => Partial<CallTable>): DriverCalls {
  const memory = newMemory(matchSets)
  return {
    excludePublishes() {},
    removePeople() {},
    countSignInLinks() {},
    useIdempotencyKey() {},
    tryAlone: () => true,
    matchingChanged(workspaceIds) {
      for (const id of workspaceIds) matchCache.forget(id)
    },
    keepWebhooks() {},
    countManualSends() {},
    memory: () => memory,
    makeDeliveries: deliveryMaker(db),
    carryOut: (call, params) =>
      (table()[call] as (params: ChangeParams<ChangeName>) => ReturnType<DriverCalls['carryOut']>)(params),
  }
}

/** @param own what a change may carry out besides */
export function sharedCalls(store: Store, own: Partial<CallTable>): Pick<CallTable, keyof typeof queries> {
  const carryOut = carryOutOn(store, () => all)
  const shared = Object.fromEntries(
    Object.entries(queries).map(([name, { kind, work }]) => [
      name,
      asKind((params: never) => carryOut((work as (params: never) => Work<unknown>)(params)), kind),
    ]),
  ) as unknown as Pick<CallTable, keyof typeof queries>
  const all: Partial<CallTable> = { ...own, ...shared }
  return shared
}
