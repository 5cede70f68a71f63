import type { CallOptions } from './connections.ts'
import { isBroughtIdTaken, isMissingPartition } from './failures.ts'
import type { Store } from './store.ts'
import type { Tx } from './transaction.ts'
import type { Quick } from './verb.ts'

const TRIES = 4

/** Carries out a call, and once more when what it was prepared with has changed meanwhile. */
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
