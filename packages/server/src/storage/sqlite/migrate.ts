import { createHash } from 'node:crypto'
import { migrations } from '../migrations/index.ts'
import type { Migration } from '../migrations/migration.ts'
import { StoreOpenError } from '../storage.ts'
import type { Connection } from './connection.ts'

const sql = {
  createTable: `
    CREATE TABLE IF NOT EXISTS migrations (
      version INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      checksum TEXT NOT NULL,
      applied_at INTEGER NOT NULL
    ) STRICT`,
  applied: 'SELECT version, name, checksum FROM migrations ORDER BY version',
  record: 'INSERT INTO migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)',
}

interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
}

/**
 * Brings the schema up to this program's version, with one transaction per migration.
 * @throws StoreOpenError when the store is newer than the program or has another edition of a migration.
 */
export function migrate(db: Connection, now: number, wanted: readonly Migration[] = migrations): void {
  db.exec(sql.createTable)
  for (const migration of missingMigrations(db, wanted)) apply(db, migration, now)
}

/**
 * The migrations that the store lacks.
 * @throws StoreOpenError as {@link migrate} does
 */
export function missingMigrations(
  db: Connection,
  wanted: readonly Migration[] = migrations,
): readonly Migration[] {
  const applied = db.prepare<[], Applied>(sql.applied).all()
  const newest = applied.at(-1)?.version ?? 0
  const known = wanted.at(-1)?.version ?? 0
  if (newest > known)
    throw new StoreOpenError(
      `${db.name} has schema version ${newest}, this release supports up to ${known}: it was last used by a newer posthorn. Run that one, or restore a backup from before the upgrade`,
    )
  const checksums = new Map(applied.map((row) => [row.version, row.checksum]))
  return wanted.filter((migration) => {
    const checksum = checksums.get(migration.version)
    if (checksum !== undefined && checksum !== checksumOf(migration))
      throw new StoreOpenError(
        `${db.name} was created by a different migration ${migration.version} (${migration.name})`,
      )
    return checksum === undefined
  })
}

function apply(db: Connection, migration: Migration, now: number): void {
  // Lets a migration change a CHECK of a table without rewriting its rows.
  db.unsafeMode(true)
  try {
    db.transaction(() => {
      db.exec(migration.sqlite)
      db.prepare(sql.record).run(migration.version, migration.name, checksumOf(migration), now)
    }).immediate()
  } finally {
    db.unsafeMode(false)
  }
}

function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sqlite).digest('hex')
}
