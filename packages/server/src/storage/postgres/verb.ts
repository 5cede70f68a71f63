import type { ReadName, VerbName, VerbParams, VerbResult } from '../callGroups.ts'
import type { CallOptions, PoolName } from './connections.ts'
import { isBroughtIdTaken, isMissingPartition } from './failures.ts'
import type { Store } from './store.ts'
import type { Isolation, Tx } from './transaction.ts'

export type { VerbName, VerbParams, VerbResult, Verbs } from '../callGroups.ts'

/** @returns `null`: nothing was done, and the call needs `run` */
export type Quick<Result> = (tx: Tx) => Promise<Result | null>

type Access = 'read' | 'write'

/** How a call is made. */
export interface Verb<V extends VerbName, A extends Access = Access> {
  readonly access: A
  readonly pool: PoolName
  readonly isolation: Isolation
  /** Runs before the transaction, on its own connections. */
  readonly prepare?: (params: VerbParams<V>) => Promise<void>
  /** A faster way for most calls; it is tried first, in a transaction of its own. */
  readonly quick?: (params: VerbParams<V>) => Quick<VerbResult<V>> | null
  readonly run: (tx: Tx, params: VerbParams<V>) => Promise<VerbResult<V>>
}

/** Calls of groups that only read must be defined as reads. */
export type VerbTable = { readonly [V in VerbName]: Verb<V, V extends ReadName ? 'read' : Access> }

type Run<V extends VerbName> = Verb<V>['run']

/** Reads; each statement runs separately and may see another state of the store. */
export const reads = <V extends VerbName>(run: Run<V>): Verb<V, 'read'> => ({
  access: 'read',
  pool: 'rest',
  isolation: 'none',
  run,
})

/** Writes without a transaction: locks end with their statement, even if this process dies. */
export const single = <V extends VerbName>(run: Run<V>): Verb<V, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'none',
  run,
})

export const writes = <V extends VerbName>(run: Run<V>): Verb<V, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'write',
  run,
})

/** The hot path. */
export const hot = <V extends VerbName, A extends Access>(verb: Verb<V, A>): Verb<V, A> => ({
  ...verb,
  pool: 'hot',
})

const TRIES = 4

/** Makes a call, and repeats it if the data that `prepare` or `quick` relied on has changed since. */
export async function carryOut<Params, Result>(
  { connections, partitions }: Store,
  verb: CallOptions & {
    readonly prepare?: (params: Params) => Promise<void>
    readonly quick?: (params: Params) => Quick<Result> | null
    readonly run: (tx: Tx, params: Params) => Promise<Result>
  },
  params: Params,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      await verb.prepare?.(params)
      const quick = verb.quick?.(params) ?? null
      const done = quick && (await connections.call(verb, quick))
      return done ?? (await connections.call(verb, (tx) => verb.run(tx, params)))
    } catch (error) {
      if (attempt === TRIES) throw error
      if (isMissingPartition(error)) partitions.forget()
      else if (!isBroughtIdTaken(error)) throw error
    }
  }
}
