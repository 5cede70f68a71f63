import path from 'node:path'
import type { AppliedMigration, SchemaFacts } from '../migrations/schemaFacts.ts'
import { StoreOpenError } from '../storage.ts'
import { openReadOnly } from './connection.ts'
import { databaseFile, refuseNoDatabase } from './dataDirectory.ts'
import { openFailure } from './failures.ts'
import { refuseOtherThanStore } from './storeFacts.ts'

const sql = {
  version: 'SELECT sqlite_version()',
  applied: 'SELECT version, name, applied_at AS appliedAt FROM migrations ORDER BY version',
}

/**
 * Reads only, also while a service uses the store.
 * @throws StoreOpenError with one line for the operator
 */
export function readEmbeddedSchema(dataDir: string): SchemaFacts {
  refuseNoDatabase(dataDir)
  try {
    const db = openReadOnly(databaseFile(path.resolve(dataDir)))
    try {
      refuseOtherThanStore(db, false)
      return {
        engine: `SQLite ${db.prepare<[], string>(sql.version).pluck().get()!}`,
        applied: db.prepare<[], AppliedMigration>(sql.applied).all(),
      }
    } finally {
      db.close()
    }
  } catch (error) {
    throw new StoreOpenError(openFailure(path.resolve(dataDir), error))
  }
}
