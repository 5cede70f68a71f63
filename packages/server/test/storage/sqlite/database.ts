import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type Connection, openConnection } from '../../../src/storage/sqlite/connection.ts'
import { migrate } from '../../../src/storage/sqlite/migrate.ts'

/** A database of the newest schema in this thread, gone when the test is over. */
export function openDatabase(): Connection {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-db-'))
  const db = openConnection({ role: 'writer', dataDir, now: 0, maxPages: null })
  onTestFinished(() => {
    db.close()
    rmSync(dataDir, { recursive: true })
  })
  migrate(db, 0)
  return db
}
