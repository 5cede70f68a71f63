import { rmSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { Migration } from '../../../src/storage/migrations/migration.ts'
import { type Connection, openConnection } from '../../../src/storage/sqlite/connection.ts'
import { migrate } from '../../../src/storage/sqlite/migrate.ts'
import { makeStoreDirectory } from '../../support/storeDirectory.ts'

/**
 * A database in this thread, removed after the test.
 * @param wanted migrations of its schema; all by default
 */
export function openDatabase(wanted?: readonly Migration[]): Connection {
  const dataDir = makeStoreDirectory()
  const db = openConnection({ role: 'writer', dataDir, now: 0, maxPages: null, create: true })
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true })
  })
  migrate(db, 0, wanted)
  return db
}

/** Names of the tables that have a row. */
export function filledTables(db: Connection): string[] {
  return db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all()
    .filter((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined)
    .sort()
}
