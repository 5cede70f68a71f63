import type { CallName, CallParams, CallResult, ReadName } from '../callGroups.ts'
import type { Work } from './work.ts'

/**
 * `list`: a read for people, which must delay no write; `lookup`: a small read that other calls wait for; `write`: a transaction
 * that changes something.
 */
export type Kind = 'list' | 'lookup' | 'write'
export type ReadKind = Exclude<Kind, 'write'>

/** How a query is carried out. */
export interface Query<N extends CallName, K extends Kind = Kind> {
  readonly kind: K
  /** PostgreSQL: whether its statements are one transaction. A read of several then sees one state of the store. */
  readonly inTransaction: boolean
  /** Whether every delivery or every API request needs it. */
  readonly hot: boolean
  /** Times of events that it stores: PostgreSQL has tables by day, which must be there. */
  readonly daysOf?: (params: CallParams<N>) => readonly number[]
  readonly work: (params: CallParams<N>) => Work<CallResult<N>>
}

type WorkOf<N extends CallName> = Query<N>['work']

const query = <N extends CallName, K extends Kind>(
  kind: K,
  work: WorkOf<N>,
  options: Partial<Pick<Query<N>, 'inTransaction' | 'hot'>> = {},
): Query<N, K> => ({ kind, inTransaction: kind === 'write', hot: false, work, ...options })

export const list = <N extends CallName>(work: WorkOf<N>): Query<N, 'list'> => query('list', work)
export const listInTransaction = <N extends CallName>(work: WorkOf<N>): Query<N, 'list'> =>
  query('list', work, { inTransaction: true })
export const lookup = <N extends CallName>(work: WorkOf<N>): Query<N, 'lookup'> => query('lookup', work)
export const hotLookup = <N extends CallName>(work: WorkOf<N>): Query<N, 'lookup'> =>
  query('lookup', work, { hot: true })
export const write = <N extends CallName>(work: WorkOf<N>): Query<N, 'write'> => query('write', work)
/** One statement without a transaction: on PostgreSQL its locks end with it, even if this process dies. */
export const writeStatement = <N extends CallName>(work: WorkOf<N>): Query<N, 'write'> =>
  query('write', work, { inTransaction: false })
export const hotWriteStatement = <N extends CallName>(work: WorkOf<N>): Query<N, 'write'> =>
  query('write', work, { inTransaction: false, hot: true })

/** Calls of groups that only read must be defined by a kind that reads. */
export type Queries<N extends CallName> = {
  readonly [Name in N]: Query<Name, Name extends ReadName ? ReadKind : Kind>
}
