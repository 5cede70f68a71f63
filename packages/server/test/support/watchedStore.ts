import { type FlatStorage, wrapCalls } from './flatStorage.ts'

export interface WatchedStore {
  readonly storage: FlatStorage
  /** Resolves once no call is running and none follows from those that ended. */
  idle(): Promise<void>
}

/** A view of a store that tracks running calls. Closing the view leaves the store open. */
export function watchStore(storage: FlatStorage): WatchedStore {
  const calls = new Set<Promise<unknown>>()
  const view = wrapCalls(storage, (_, call) => (params) => {
    const result = call(params)
    const ended: Promise<boolean> = result.then(
      () => calls.delete(ended),
      () => calls.delete(ended),
    )
    calls.add(ended)
    return result
  })
  const idle = async () => {
    do {
      await Promise.all(calls)
      // Code that waited for these calls may make others.
      await new Promise((resolve) => setImmediate(resolve))
    } while (calls.size > 0)
  }
  return { storage: { ...view, close: async () => {} }, idle }
}
