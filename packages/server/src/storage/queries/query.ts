import type { VerbName, VerbParams, VerbResult } from '../areas.ts'
import type { Work } from './work.ts'

/**
 * `list`: a read that people ask for, which must delay no write; `look`: a small read on the way of others; `write`: all of it
 * or nothing.
 */
export type Kind = 'list' | 'look' | 'write'

/** How a query is carried out. */
export interface Query<V extends VerbName> {
  readonly kind: Kind
  /** PostgreSQL: whether its statements are one transaction. A read of several then sees one state of the store. */
  readonly together: boolean
  /** Every delivery, or every call of the API, passes through it. */
  readonly hot: boolean
  /** Times of events that it stores: PostgreSQL has tables by day, which must be there. */
  readonly daysOf?: (params: VerbParams<V>) => readonly number[]
  readonly work: (params: VerbParams<V>) => Work<VerbResult<V>>
}

type WorkOf<V extends VerbName> = Query<V>['work']

const query = <V extends VerbName>(
  kind: Kind,
  work: WorkOf<V>,
  options: Partial<Pick<Query<V>, 'together' | 'hot'>> = {},
): Query<V> => ({ kind, together: kind === 'write', hot: false, work, ...options })

export const list = <V extends VerbName>(work: WorkOf<V>): Query<V> => query('list', work)
export const listAtOnce = <V extends VerbName>(work: WorkOf<V>): Query<V> =>
  query('list', work, { together: true })
export const look = <V extends VerbName>(work: WorkOf<V>): Query<V> => query('look', work)
export const hotLook = <V extends VerbName>(work: WorkOf<V>): Query<V> => query('look', work, { hot: true })
export const write = <V extends VerbName>(work: WorkOf<V>): Query<V> => query('write', work)
/** One statement, so that on PostgreSQL none of its locks outlives it, whatever becomes of this process. */
export const writeAlone = <V extends VerbName>(work: WorkOf<V>): Query<V> =>
  query('write', work, { together: false })

export type Queries<V extends VerbName> = { readonly [Name in V]: Query<Name> }
