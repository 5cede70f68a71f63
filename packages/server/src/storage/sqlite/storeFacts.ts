import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { masterKeySql } from '../queries/masterKeys.ts'
import type { Sealed } from '../rows.ts'
import { StoreOpenError } from '../storage.ts'
import { hasBytes, logOf } from './dataDirectory.ts'

const sql = {
  tables: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
  pages: 'PRAGMA page_count',
  pageSize: 'PRAGMA page_size',
  knowsMoves: `SELECT 1 FROM sqlite_schema WHERE name = 'moved'`,
  moved: 'SELECT place, at FROM moved',
  mark: 'INSERT INTO moved (id, place, at) VALUES (1, ?, ?) ON CONFLICT DO NOTHING',
  newestSecret: `
    SELECT s.sealed, w.public_id AS owner FROM secrets s JOIN webhooks w ON w.id = s.webhook_id
    ORDER BY s.id DESC LIMIT 1`,
  notesKey: `SELECT 1 FROM pragma_table_info('store') WHERE name = 'key_check'`,
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
    `${db.name} contains no store. Restore a backup (posthorn restore --force <file>), or start with an empty store (posthorn serve --new-store)`,
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
  throw new StoreOpenError(`${db.name} is truncated. ${RESTORE}`)
}

/** What to do about a damaged database. */
export const RESTORE =
  'Restore a backup: posthorn restore --force <file>, which keeps the damaged file under another name'

export interface Moved {
  /** The database it went to, for people; without a password. */
  readonly place: string
  /** Unix ms. */
  readonly at: number
}

/** @returns where the store went; `null` when it is still here, or older than moves are */
export function readMoved(db: Database.Database): Moved | null {
  if (db.prepare(sql.knowsMoves).get() === undefined) return null
  return db.prepare<[], Moved>(sql.moved).get() ?? null
}

/** Marks the store as moved: it cannot be served from here any more; see {@link refuseMoved}. */
export function markMoved(db: Database.Database, { place, at }: Moved): void {
  db.prepare<[string, number]>(sql.mark).run(place, at)
}

/** @throws StoreOpenError when the store went elsewhere: served here as well, it would send everything twice */
export function refuseMoved(db: Database.Database, dataDir: string): void {
  const moved = readMoved(db)
  if (moved !== null) throw new StoreOpenError(movedMessage(dataDir, moved))
}

export function movedMessage(dataDir: string, { place, at }: Moved): string {
  const day = new Date(at).toISOString().slice(0, 10)
  return `the store in ${dataDir} was moved to ${place} on ${day}: set POSTHORN_DATABASE_URL to serve it there`
}

/** @returns the newest signing secret, by which a master key can be tried; `null` when there is none */
export function readNewestSecret(db: Database.Database): Sealed | null {
  return db.prepare<[], Sealed>(sql.newestSecret).get() ?? null
}

/** Shows which master keys a store needs. */
export interface KeyFacts {
  readonly newestSecret: Sealed | null
  /** Of the key of secrets that do not name theirs; `null`: not noted. */
  readonly keyCheck: Uint8Array | null
  /** Ids of the keys that secrets name. */
  readonly keyIds: readonly string[]
}

/** Reads all secrets: for commands that nothing waits for. */
export function readKeyFacts(db: Database.Database): KeyFacts {
  const notesKey = db.prepare(sql.notesKey).get() !== undefined
  const keyCheck = notesKey
    ? db.prepare<[], Buffer | null>(masterKeySql.readCheck.sqlite).pluck().get()!
    : null
  const keyIds = db.prepare<[], string>(masterKeySql.keyIds.sqlite).pluck().all()
  return { newestSecret: readNewestSecret(db), keyCheck, keyIds }
}
