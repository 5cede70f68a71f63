import type { ReadName, VerbName, VerbParams, VerbResult } from '../areas.ts'
import type { Work } from './work.ts'

/**
 * `list`: a read that people ask for, which must delay no write; `lookup`: a small read on the way of others; `write`: all of it
 * or nothing.
 */
export type Kind = 'list' | 'lookup' | 'write'
export type ReadKind = Exclude<Kind, 'write'>

/** How a query is carried out. */
export interface Query<V extends VerbName, K extends Kind = Kind> {
  readonly kind: K
  /** PostgreSQL: whether its statements are one transaction. A read of several then sees one state of the store. */
  readonly inTransaction: boolean
  /** Every delivery, or every call of the API, passes through it. */
  readonly hot: boolean
  /** Times of events that it stores: PostgreSQL has tables by day, which must be there. */
  readonly daysOf?: (params: VerbParams<V>) => readonly number[]
  readonly work: (params: VerbParams<V>) => Work<VerbResult<V>>
}

type WorkOf<V extends VerbName> = Query<V>['work']

const query = <V extends VerbName, K extends Kind>(
  kind: K,
  work: WorkOf<V>,
  options: Partial<Pick<Query<V>, 'inTransaction' | 'hot'>> = {},
): Query<V, K> => ({ kind, inTransaction: kind === 'write', hot: false, work, ...options })

export const list = <V extends VerbName>(work: WorkOf<V>): Query<V, 'list'> => query('list', work)
export const listInTransaction = <V extends VerbName>(work: WorkOf<V>): Query<V, 'list'> =>
  query('list', work, { inTransaction: true })
export const lookup = <V extends VerbName>(work: WorkOf<V>): Query<V, 'lookup'> => query('lookup', work)
export const hotLookup = <V extends VerbName>(work: WorkOf<V>): Query<V, 'lookup'> =>
  query('lookup', work, { hot: true })
export const write = <V extends VerbName>(work: WorkOf<V>): Query<V, 'write'> => query('write', work)
/** One statement, so that on PostgreSQL none of its locks outlives it, whatever becomes of this process. */
export const writeStatement = <V extends VerbName>(work: WorkOf<V>): Query<V, 'write'> =>
  query('write', work, { inTransaction: false })
export const hotWriteStatement = <V extends VerbName>(work: WorkOf<V>): Query<V, 'write'> =>
  query('write', work, { inTransaction: false, hot: true })

/** What only reads is not defined by a kind that writes. */
export type Queries<V extends VerbName> = {
  readonly [Name in V]: Query<Name, Name extends ReadName ? ReadKind : Kind>
}
