import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { hasBytes, logOf } from './dataDirectory.ts'

const sql = {
  tables: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  pages: 'PRAGMA page_count',
  pageSize: 'PRAGMA page_size',
}

/** Tables that every store has had since its first migration. */
const OWN_TABLES = ['migrations', 'store']

/** What a database holds, by the names of its tables. */
function contentsOf(db: Database.Database): 'store' | 'nothing' | 'something else' {
  const tables = db.prepare<[], string>(sql.tables).pluck().all()
  if (OWN_TABLES.every((name) => tables.includes(name))) return 'store'
  // The table of migrations is made in a transaction of its own, before the first of them.
  return tables.every((name) => name === 'migrations') ? 'nothing' : 'something else'
}

export const isStore = (db: Database.Database): boolean => contentsOf(db) === 'store'

/**
 * Must come before anything is written: a database of another program stays as it is.
 * @param create whether a database with nothing in it will do
 * @throws StoreOpenError
 */
export function refuseOtherThanStore(db: Database.Database, create: boolean): void {
  const contents = contentsOf(db)
  if (contents === 'something else')
    throw new StoreOpenError(
      `${db.name} is a database of another program. Move it away, or name another directory with --data-dir`,
    )
  if (contents === 'store' || create) return
  throw new StoreOpenError(
    `${db.name} holds no store. Restore a backup (posthorn restore --force <file>), or start with an empty store (posthorn serve --new-store)`,
  )
}

/**
 * SQLite notices missing pages, but not that the last one is cut. With a log it is not known how long the file should be.
 * @param db which no other connection writes to
 * @throws StoreOpenError
 */
export function refuseCut(db: Database.Database): void {
  if (hasBytes(logOf(db.name))) return
  const read = (pragma: string) => db.prepare<[], number>(pragma).pluck().get()!
  if (statSync(db.name).size >= read(sql.pages) * read(sql.pageSize)) return
  throw new StoreOpenError(`${db.name} is cut short. ${RESTORE}`)
}

/** What to do about a damaged database. */
export const RESTORE =
  'Restore a backup: posthorn restore --force <file>, which keeps the damaged file under another name'
