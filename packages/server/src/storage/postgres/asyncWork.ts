import type { CallName } from '../callGroups.ts'
import { MatchSets } from '../fanout.ts'
import { type DriverCalls, newMemory } from '../queries/driverCalls.ts'
import { queries } from '../queries/index.ts'
import type { Query } from '../queries/query.ts'
import { isList, type Value } from '../queries/sql.ts'
import type { Ask, Work } from '../queries/work.ts'
import type { ChangeName } from '../storage.ts'
import type { CallDefinition, CallTable } from './call.ts'
import type { Locks } from './locks.ts'
import { makeDeliveries } from './queries/fanouts.ts'
import type { Store } from './store.ts'
import type { Isolation, Tx } from './transaction.ts'
import { numbers, texts } from './values.ts'
import { bumpMatching } from './webhookMatcher.ts'

type DriverCallsOn = {
  readonly [Name in keyof DriverCalls]: (tx: Tx, ...params: Parameters<DriverCalls[Name]>) => Promise<unknown>
}

export type CarryOut = <Result>(tx: Tx, work: Work<Result>) => Promise<Result>

/**
 * @param table the calls that a change may make
 * @returns a function that runs queries, step by step, within a transaction
 */
export function carryOutOn(
  store: { readonly locks: Locks },
  table: () => Partial<CallTable> = () => ({}),
): CarryOut {
  const driverCalls = driverCallsOn(store, table)

  function answer(tx: Tx, ask: Ask): Promise<unknown> {
    if (ask.kind === 'all') return Promise.all(ask.works.map((work) => carryOut(tx, work)))
    if (ask.kind === 'driverCall')
      return (driverCalls[ask.name] as (tx: Tx, ...params: readonly unknown[]) => Promise<unknown>)(
        tx,
        ...ask.params,
      )
    if (ask.kind === 'each') return answerEach(tx, ask)
    return tx[ask.kind](ask.statement.postgres, ask.values.map(encoded))
  }

  async function carryOut<Result>(tx: Tx, work: Work<Result>): Promise<Result> {
    let step = work.next()
    while (step.done !== true) step = work.next(await answer(tx, step.value))
    return step.value
  }

  return carryOut
}

async function answerEach(
  tx: Tx,
  { statement, rows, most, values }: Extract<Ask, { kind: 'each' }>,
): Promise<readonly object[][]> {
  const asked = JSON.stringify(rows.map((row, place) => ({ place, ...row })))
  const found = await tx.rows<{ place: number }>(statement.postgres, [asked, most, ...values.map(encoded)])
  const groups: object[][] = rows.map(() => [])
  for (const { place, ...row } of found) groups[place]!.push(row)
  return groups
}

function encoded(value: Value): unknown {
  if (!isList(value)) return value
  return value.type === 'bigint'
    ? numbers(value.members as readonly number[])
    : texts(value.members as readonly string[])
}

function driverCallsOn({ locks }: { readonly locks: Locks }, table: () => Partial<CallTable>): DriverCallsOn {
  const memory = newMemory(new MatchSets())
  return {
    excludePublishes: (tx, workspaceIds) => locks.exclude(tx, workspaceIds),
    matchingChanged: bumpMatching,
    removePeople: (tx) => locks.removePeople(tx),
    countSignInLinks: (tx, email) => locks.countSignInLinks(tx, email),
    useIdempotencyKey: (tx, scope, key) => locks.useIdempotencyKey(tx, scope, key),
    tryAlone: (tx, work) => locks.tryAlone(tx, work),
    keepWebhooks: (tx, workspaceIds) => locks.keep(tx, workspaceIds),
    countManualSends: (tx, workspaceId) => locks.countManualSends(tx, workspaceId),
    memory: async () => memory,
    makeDeliveries,
    carryOut: (tx, call, params) => (table()[call] as CallDefinition<ChangeName>).run(tx, params),
  }
}

/** @param own further calls that a change may make */
export function sharedCalls(store: Store, own: Partial<CallTable>): Pick<CallTable, keyof typeof queries> {
  const carryOut = carryOutOn(store, () => all)
  const shared = Object.fromEntries(
    Object.entries(queries).map(([name, query]) => [
      name,
      definitionOf(store, query as unknown as Query<CallName>, carryOut),
    ]),
  ) as unknown as Pick<CallTable, keyof typeof queries>
  const all: Partial<CallTable> = { ...own, ...shared }
  const { change } = shared
  return {
    ...shared,
    change: { ...change, prepare: async ({ call, params }) => all[call]?.prepare?.(params as never) },
  }
}

function definitionOf(
  { partitions }: Store,
  query: Query<CallName>,
  carryOut: CarryOut,
): CallDefinition<CallName> {
  const { daysOf } = query
  return {
    ...(daysOf && { prepare: (params) => partitions.ensure(daysOf(params)) }),
    access: query.kind === 'write' ? 'write' : 'read',
    pool: query.hot ? 'hot' : 'rest',
    isolation: isolationOf(query),
    run: (tx, params) => carryOut(tx, query.work(params)),
  }
}

function isolationOf({ kind, inTransaction }: Query<CallName>): Isolation {
  if (!inTransaction) return 'none'
  return kind === 'write' ? 'write' : 'snapshot'
}
