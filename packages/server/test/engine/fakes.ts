import type { Logger } from '../../src/engine/log/logger.ts'
import { CALL_GROUPS } from '../../src/storage/callGroups.ts'
import type { FlatStorage } from '../support/flatStorage.ts'

/** A store, and each of its parts, with only the calls that a test needs; any other is an error. */
export function storageOf(calls: Partial<FlatStorage>): FlatStorage {
  const storage: FlatStorage = new Proxy(calls as FlatStorage, {
    get(target, name: keyof FlatStorage | 'then') {
      if (name in CALL_GROUPS) return storage
      // Awaiting it checks whether it is a promise.
      if (name in target || name === 'then') return target[name as keyof FlatStorage]
      throw new Error(`the test did not expect storage.${String(name)}`)
    },
  })
  return storage
}

export interface RecordedLog extends Logger {
  readonly lines: readonly { readonly level: string; readonly message: string }[]
}

export function recordedLog(): RecordedLog {
  const lines: { level: string; message: string }[] = []
  const at = (level: string) => (_: object, message: string) => void lines.push({ level, message })
  return { lines, info: at('info'), warn: at('warn'), error: at('error') }
}

/** A call of the store that the test answers later. */
export interface OpenCall<P, R> {
  readonly params: P
  readonly resolve: (result: R) => void
  readonly reject: (error: Error) => void
}

/** A method that answers only when the test says so. */
export function openCalls<P, R>(): {
  readonly calls: OpenCall<P, R>[]
  readonly call: (params: P) => Promise<R>
} {
  const calls: OpenCall<P, R>[] = []
  return {
    calls,
    call: (params) => new Promise((resolve, reject) => calls.push({ params, resolve, reject })),
  }
}

/** Lets everything run that needs no timer: a turn of the event loop with all its promises. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

export const away = (): Error => new Error('the store is away')
