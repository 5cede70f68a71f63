import { MatchSets } from '../fanout.ts'
import { MatchCache } from '../matchCache.ts'
import type { Connection } from './connection.ts'

/** What every group of calls works on. */
export interface Store {
  readonly db: Connection
  /** Mirrors rows of the database; call it after every write to them. */
  readonly matchCache: MatchCache
  readonly matchSets: MatchSets
}

export function createStore(db: Connection): Store {
  return { db, matchCache: new MatchCache(), matchSets: new MatchSets() }
}
