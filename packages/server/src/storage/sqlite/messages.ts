import type { IdKey } from '../../core/ids.ts'
import type { CallName, CallParams, CallResult, ReadName } from '../callGroups.ts'
import type { Kind, ReadKind } from '../queries/query.ts'
import type { Sealed } from '../rows.ts'

export type { CallName, CallParams, CallResult, StorageCalls } from '../callGroups.ts'

type Run<N extends CallName> = (params: CallParams<N>) => CallResult<N>

/** The calls of the worker; the caller has opened a transaction. */
export type CallTable = {
  readonly [N in CallName]: Run<N> & (N extends ReadName ? { readonly kind: ReadKind } : unknown)
}

/**
 * The writer owns the only connection that writes rows. The reader serves lists, so that they delay no commit. The background
 * thread reads what is not urgent, so that it delays no list. The checkpointer writes the log back into the database file.
 */
export type Role = 'writer' | 'reader' | 'background' | 'checkpointer'

/** Roles whose connections only read. */
export const READERS: readonly Role[] = ['reader', 'background']

export interface WorkerSettings {
  readonly role: Role
  readonly dataDir: string
  /** Unix ms at which the store is opened; stamps migrations. */
  readonly now: number
  /** Upper bound of the database file in pages; `null`: none. */
  readonly maxPages: number | null
  /** Whether a store is created if there is none; otherwise opening fails. */
  readonly create: boolean
}

export interface Call {
  readonly id: number
  readonly name: CallName
  /** In the packed form for the thread. */
  readonly params: unknown
}

/** `null` asks the worker to finish its calls and close; `checkpoint`, to write back as much of the log as possible. */
export type ToWorker = readonly Call[] | 'checkpoint' | null

export interface Failure {
  /**
   * `unavailable`: the store could not take the call now; `key_reused`: the call was rejected and changed nothing;
   * `wrong`: the call itself is wrong.
   */
  readonly kind: 'unavailable' | 'key_reused' | 'wrong'
  readonly message: string
}

export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }

/** What a thread reports once it has opened the store. */
export interface Greeting {
  readonly idKey: IdKey
  /** Shows whether a master key belongs to this store; `null`: there is no signing secret. */
  readonly newestSecret: Sealed | null
  /** Whether there was no store before. */
  readonly isNew: boolean
  readonly routes: Readonly<Record<string, Role>>
}

export type FromWorker =
  | ({ readonly kind: 'ready' } & Greeting)
  /** The store cannot be opened; `message` is one line for the operator. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'replies'; readonly replies: readonly Reply[] }
  /** A checkpoint has ended, whether it did anything or not. */
  | { readonly kind: 'checkpointed' }

type Marked<K extends Kind> = { readonly kind: K }

const mark = <Run extends object, K extends Kind>(run: Run, kind: K): Run & Marked<K> =>
  Object.assign(run, { kind })

/** Calls that are not marked write. */
export const kindOf = (run: object): Kind => (run as Partial<Marked<Kind>>).kind ?? 'write'

export const asKind = mark
