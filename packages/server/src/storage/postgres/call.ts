import type { CallName, CallParams, CallResult, ReadName } from '../callGroups.ts'
import type { CallOptions, PoolName } from './connections.ts'
import { isBroughtIdTaken, isMissingPartition } from './failures.ts'
import type { Store } from './store.ts'
import type { Isolation, Tx } from './transaction.ts'

export type { CallName, CallParams, CallResult, StorageCalls } from '../callGroups.ts'

/** @returns `null`: nothing was done, and the call needs `run` */
export type Quick<Result> = (tx: Tx) => Promise<Result | null>

type Access = 'read' | 'write'

/** How a call is made. */
export interface CallDefinition<N extends CallName, A extends Access = Access> {
  readonly access: A
  readonly pool: PoolName
  readonly isolation: Isolation
  /** Runs before the transaction, on its own connections. */
  readonly prepare?: (params: CallParams<N>) => Promise<void>
  /** A faster way for most calls; it is tried first, in a transaction of its own. */
  readonly quick?: (params: CallParams<N>) => Quick<CallResult<N>> | null
  readonly run: (tx: Tx, params: CallParams<N>) => Promise<CallResult<N>>
}

/** Calls of groups that only read must be defined as reads. */
export type CallTable = { readonly [N in CallName]: CallDefinition<N, N extends ReadName ? 'read' : Access> }

type Run<N extends CallName> = CallDefinition<N>['run']

/** Reads; each statement runs separately and may see another state of the store. */
export const reads = <N extends CallName>(run: Run<N>): CallDefinition<N, 'read'> => ({
  access: 'read',
  pool: 'rest',
  isolation: 'none',
  run,
})

/** Writes without a transaction: locks end with their statement, even if this process dies. */
export const single = <N extends CallName>(run: Run<N>): CallDefinition<N, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'none',
  run,
})

export const writes = <N extends CallName>(run: Run<N>): CallDefinition<N, 'write'> => ({
  access: 'write',
  pool: 'rest',
  isolation: 'write',
  run,
})

/** The hot path. */
export const hot = <N extends CallName, A extends Access>(
  call: CallDefinition<N, A>,
): CallDefinition<N, A> => ({
  ...call,
  pool: 'hot',
})

const TRIES = 4

/** Makes a call, and repeats it if the data that `prepare` or `quick` relied on has changed since. */
export async function carryOut<Params, Result>(
  { connections, partitions }: Store,
  call: CallOptions & {
    readonly prepare?: (params: Params) => Promise<void>
    readonly quick?: (params: Params) => Quick<Result> | null
    readonly run: (tx: Tx, params: Params) => Promise<Result>
  },
  params: Params,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      await call.prepare?.(params)
      const quick = call.quick?.(params) ?? null
      const done = quick && (await connections.call(call, quick))
      return done ?? (await connections.call(call, (tx) => call.run(tx, params)))
    } catch (error) {
      if (attempt === TRIES) throw error
      if (isMissingPartition(error)) partitions.forget()
      else if (!isBroughtIdTaken(error)) throw error
    }
  }
}
