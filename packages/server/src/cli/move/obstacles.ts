import type { MoveSource } from '../../storage/move/source.ts'
import type { EarlierMove, TargetFacts } from '../../storage/move/targetFacts.ts'
import { MIN_SERVER_VERSION } from '../../storage/postgres/migrate.ts'
import { movedMessage } from '../../storage/sqlite/storeFacts.ts'
import { type MasterKeys, missingKey } from '../masterKeys.ts'

/** The store to move. */
export interface Mover {
  readonly dataDir: string
  readonly source: MoveSource
  /** Identifies the master key. */
  readonly keyCheck: Uint8Array
  /** Its destination, for people. */
  readonly place: string
}

/** Reasons why the store cannot be moved at all; each is one line for the operator. */
export function sourceObstacles(
  { dataDir, source }: Pick<Mover, 'dataDir' | 'source'>,
  keys: MasterKeys,
): string[] {
  if (!source.isUpToDate())
    return [`the store in ${dataDir} was last used by an older posthorn: run posthorn migrate first`]
  const missing = missingKey(keys, source.keyFacts())
  if (missing === null) return []
  return [
    `POSTHORN_MASTER_KEY: the key does not decrypt the signing secrets in the store; set ${missing} that the service uses`,
  ]
}

/** The state of an earlier move of this store in its present state. */
export function earlierMove({ source }: Pick<Mover, 'source'>, { move }: TargetFacts): EarlierMove | null {
  return move !== null && same(move.storeKey, source.idKey) && same(move.state, source.state) ? move : null
}

/** Reasons why the database cannot take the store; each is one line for the operator. */
export function targetObstacles(mover: Mover, facts: TargetFacts): string[] {
  const { place, keyCheck } = mover
  const obstacles: string[] = []
  if (facts.serverVersion < MIN_SERVER_VERSION)
    obstacles.push(`the move needs PostgreSQL 14 or later; ${place} has ${versionOf(facts)}`)
  if (facts.encoding !== 'UTF8')
    obstacles.push(`${place} has the encoding ${facts.encoding}; use a database with the encoding UTF8`)
  if (!facts.mayCreate)
    obstacles.push(`the user of POSTHORN_DATABASE_URL has no permission to create tables in ${place}`)
  if (facts.nodes > 0)
    obstacles.push(
      `${place} is in use, or was a moment ago (nodes: ${facts.nodes}); stop posthorn there first`,
    )
  if (facts.keyCheck !== null && !same(facts.keyCheck, keyCheck))
    obstacles.push(
      `POSTHORN_MASTER_KEY: ${place} was used with another key; use a database that posthorn has not used before`,
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
      : [`the move of another store into ${place} is not finished; use another database, or drop its schema`]
  if (facts.filled.length === 0) return []
  return [`${place} already has a store (rows in ${facts.filled.join(', ')}); use an empty database`]
}

const versionOf = ({ serverVersion }: TargetFacts): string => String(Math.floor(serverVersion / 10_000))

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0
