import type { Storage } from '../../src/storage/storage.ts'

export interface WatchedStore {
  readonly storage: Storage
  /** Resolves once no call is under way and none follows from those that ended. */
  idle(): Promise<void>
}

/** A view of a store that knows which calls are under way. Closing the view leaves the store open. */
export function watchStore(storage: Storage): WatchedStore {
  const calls = new Set<Promise<unknown>>()
  const view = new Proxy(storage, {
    get(target, name) {
      if (name === 'close') return async () => {}
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = member.apply(target, args)
        if (!(result instanceof Promise)) return result
        const ended: Promise<boolean> = result.then(
          () => calls.delete(ended),
          () => calls.delete(ended),
        )
        calls.add(ended)
        return result
      }
    },
  })
  const idle = async () => {
    do {
      await Promise.all(calls)
      // What waited for these calls may make others.
      await new Promise((resolve) => setImmediate(resolve))
    } while (calls.size > 0)
  }
  return { storage: view, idle }
}
