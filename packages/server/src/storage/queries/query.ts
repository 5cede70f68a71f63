import type { ReadName, VerbName, VerbParams, VerbResult } from '../callGroups.ts'
import type { Work } from './work.ts'

/**
 * `list`: a read for people, which must delay no write; `lookup`: a small read that other calls wait for; `write`: a transaction
 * that changes something.
 */
export type Kind = 'list' | 'lookup' | 'write'
export type ReadKind = Exclude<Kind, 'write'>

/** How a query is carried out. */
export interface Query<V extends VerbName, K extends Kind = Kind> {
  readonly kind: K
  /** PostgreSQL: whether its statements are one transaction. A read of several then sees one state of the store. */
  readonly inTransaction: boolean
  /** Whether every delivery or every API request needs it. */
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
/** One statement without a transaction: on PostgreSQL its locks end with it, even if this process dies. */
export const writeStatement = <V extends VerbName>(work: WorkOf<V>): Query<V, 'write'> =>
  query('write', work, { inTransaction: false })
export const hotWriteStatement = <V extends VerbName>(work: WorkOf<V>): Query<V, 'write'> =>
  query('write', work, { inTransaction: false, hot: true })

/** Calls of groups that only read must be defined by a kind that reads. */
export type Queries<V extends VerbName> = {
  readonly [Name in V]: Query<Name, Name extends ReadName ? ReadKind : Kind>
}
