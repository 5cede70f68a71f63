import type { ReadName, VerbName, VerbParams, VerbResult } from '../areas.ts'
import type { PoolName } from './connections.ts'
import type { Isolation, Tx } from './transaction.ts'

export type { VerbName, VerbParams, VerbResult, Verbs } from '../areas.ts'

/** @returns `null`: nothing was done, and this call needs the long way */
export type Quick<Result> = (tx: Tx) => Promise<Result | null>

type Access = 'read' | 'write'

/** How a call is carried out. */
export interface Verb<V extends VerbName, A extends Access = Access> {
  readonly access: A
  readonly pool: PoolName
  readonly isolation: Isolation
  /** Done before the transaction begins, by connections of its own. */
  readonly prepare?: (params: VerbParams<V>) => Promise<void>
  /** For most calls there may be a quicker way, which is tried first, as a transaction of its own. */
  readonly quick?: (params: VerbParams<V>) => Quick<VerbResult<V>> | null
  readonly run: (tx: Tx, params: VerbParams<V>) => Promise<VerbResult<V>>
}

/** What only reads is not defined as a write. */
export type VerbTable = { readonly [V in VerbName]: Verb<V, V extends ReadName ? 'read' : Access> }

type Run<V extends VerbName> = Verb<V>['run']

/** Reads; each statement stands alone and may see another state of the store. */
export const reads = <V extends VerbName>(run: Run<V>): Verb<V, 'read'> => ({
  access: 'read',
  pool: 'rest',
  isolation: 'none',
  run,
})

/** Writes; each statement stands alone, so that none of its locks outlives it, whatever becomes of this process. */
export const single = <V extends VerbName>(run: Run<V>): Verb<V, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'none',
  run,
})

/** Several statements that read one state of the store. */
export const snapshot = <V extends VerbName>(run: Run<V>): Verb<V, 'read'> => ({
  access: 'read',
  pool: 'rest',
  isolation: 'snapshot',
  run,
})

export const writes = <V extends VerbName>(run: Run<V>): Verb<V, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'write',
  run,
})

/** What every delivery passes through. */
export const hot = <V extends VerbName, A extends Access>(verb: Verb<V, A>): Verb<V, A> => ({
  ...verb,
  pool: 'hot',
})
