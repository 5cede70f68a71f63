import type { MoveSource } from '../../storage/move/source.ts'
import type { EarlierMove, TargetFacts } from '../../storage/move/targetFacts.ts'
import { MIN_SERVER_VERSION } from '../../storage/postgres/migrate.ts'
import { movedMessage } from '../../storage/sqlite/storeFacts.ts'
import { type MasterKeys, missingKey } from '../masterKeys.ts'

/** The store that is to be moved. */
export interface Mover {
  readonly dataDir: string
  readonly source: MoveSource
  /** Tells the master key apart from others. */
  readonly keyCheck: Uint8Array
  /** Where it is to go, for people. */
  readonly place: string
}

/** What keeps the store from being moved anywhere; each is one line for the operator. */
export function sourceObstacles(
  { dataDir, source }: Pick<Mover, 'dataDir' | 'source'>,
  keys: MasterKeys,
): string[] {
  if (!source.isUpToDate())
    return [`the store in ${dataDir} was last used by an older posthorn: run posthorn migrate first`]
  const missing = missingKey(keys, source.keyFacts())
  if (missing === null) return []
  return [
    `POSTHORN_MASTER_KEY: the key does not open the signing secrets in the store; set ${missing}, with which it is served`,
  ]
}

/** How an earlier move of this store, as it is now, stands. */
export function earlierMove({ source }: Pick<Mover, 'source'>, { move }: TargetFacts): EarlierMove | null {
  return move !== null && same(move.storeKey, source.idKey) && same(move.state, source.state) ? move : null
}

/** What keeps the database from taking the store; each is one line for the operator. */
export function targetObstacles(mover: Mover, facts: TargetFacts): string[] {
  const { place, keyCheck } = mover
  const obstacles: string[] = []
  if (facts.serverVersion < MIN_SERVER_VERSION)
    obstacles.push(`PostgreSQL 14 or later is needed, and ${place} has ${versionOf(facts)}`)
  if (facts.encoding !== 'UTF8')
    obstacles.push(`${place} keeps texts in ${facts.encoding}; a database with the encoding UTF8 is needed`)
  if (!facts.mayCreate) obstacles.push(`the user of POSTHORN_DATABASE_URL may not make tables in ${place}`)
  if (facts.nodes > 0)
    obstacles.push(
      `${place} is being served, or was a moment ago (nodes: ${facts.nodes}); stop posthorn there first`,
    )
  if (facts.keyCheck !== null && !same(facts.keyCheck, keyCheck))
    obstacles.push(
      `POSTHORN_MASTER_KEY: ${place} was used under another key; take a database that was never served`,
    )
  return [...obstacles, ...contentObstacles(mover, facts)]
}

function contentObstacles({ dataDir, source, place }: Mover, facts: TargetFacts): string[] {
  const { moved } = source
  const earlier = facts.move
  if (moved !== null && earlierMove({ source }, facts) === null) return [movedMessage(dataDir, moved)]
  if (earlier !== null && !earlier.finished)
    return same(earlier.storeKey, source.idKey)
      ? []
      : [`the move of another store into ${place} is not finished; take another database, or drop its schema`]
  if (facts.filled.length === 0) return []
  return [`${place} has a store already (rows in ${facts.filled.join(', ')}); only an empty one takes a move`]
}

const versionOf = ({ serverVersion }: TargetFacts): string => String(Math.floor(serverVersion / 10_000))

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
