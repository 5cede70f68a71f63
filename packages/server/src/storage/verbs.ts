import type { Storage } from './storage.ts'

/** Every call of {@link Storage} that is one transaction. */
export type Verbs = Omit<Storage, 'idKey' | 'onWebhooksChanged' | 'onCredentialsChanged' | 'close'>
export type VerbName = keyof Verbs
export type VerbParams<V extends VerbName> = Parameters<Verbs[V]>[0]
export type VerbResult<V extends VerbName> = Awaited<ReturnType<Verbs[V]>>
