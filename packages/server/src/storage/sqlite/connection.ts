import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { databaseFile, refuseLoneLog } from './dataDirectory.ts'
import { READERS, type WorkerSettings } from './messages.ts'
import { refuseCut, refuseOtherThanStore } from './storeFacts.ts'

/** Fewer, larger pages and rare checkpoints: 20 to 25 % less work per delivery than SQLite's defaults. */
const PAGE_SIZE = 8192
/** `checkpoints.ts` writes the log back long before; if it fails, commits do. */
const CHECKPOINT_PAGES = 40_000
/** After an unusual peak the log file shrinks back to this; otherwise it keeps its largest size for ever. */
const LOG_LIMIT_BYTES = 256 * 1024 * 1024
/** No other process writes, so a lock that is not free at once is held by a backup tool or the like. */
const BUSY_TIMEOUT_MS = 250

export type Connection = Database.Database

export function openConnection({ role, dataDir, maxPages, create }: WorkerSettings): Connection {
  const file = databaseFile(dataDir)
  const readonly = READERS.includes(role)
  if (role === 'writer') refuseLoneLog(dataDir)
  if (role === 'writer' && create) createPrivate(file)
  const db = keepStatements(new Database(file, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }))
  if (readonly) return db
  try {
    if (role === 'writer') refuseUnfit(db, create)
    return prepared(db, maxPages)
  } catch (error) {
    db.close()
    throw error
  }
}

function refuseUnfit(db: Connection, create: boolean): void {
  refuseOtherThanStore(db, create)
  refuseCut(db)
}

function prepared(db: Connection, maxPages: number | null): Connection {
  refuseOldSqlite(db.prepare<[], string>('SELECT sqlite_version()').pluck().get()!)
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}`)
  const mode = db.prepare('PRAGMA journal_mode = WAL').pluck().get()
  if (mode !== 'wal')
    throw new StoreOpenError(`${db.name} is on a file system that does not support the database log (WAL)`)
  db.exec('PRAGMA synchronous = FULL')
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  db.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`)
  // Only the small tables declare references: `migrations/0001_initial/sqlite/events.ts` says why.
  db.exec('PRAGMA foreign_keys = ON')
  if (maxPages !== null) db.exec(`PRAGMA max_page_count = ${maxPages}`)
  return db
}

/** Writes the log back into the database file, as far as no reader still needs the old pages; it does not wait for readers. */
export function checkpoint(db: Connection): void {
  db.exec('PRAGMA wal_checkpoint(PASSIVE)')
}

const kept: unknown[] = []

/**
 * Keeps every statement while the thread lives. On Node 24 better-sqlite3 aborts the process when a statement is
 * garbage-collected while no JavaScript runs, so none may become garbage. Each is prepared once, so they are few.
 */
export function keepStatements(db: Connection): Connection {
  const prepare = db.prepare.bind(db)
  db.prepare = ((source: string) => {
    const statement = prepare(source)
    kept.push(statement)
    return statement
  }) as Connection['prepare']
  kept.push(db)
  return db
}

/**
 * Makes the file readable for this user only before SQLite opens it; SQLite gives its log files the same mode. A file that
 * exists is not touched: opening and closing it here would drop this process's own locks on it.
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** The serving process locks the log for only a moment. */
const READ_TIMEOUT_MS = 10_000

/** Opens a store's file to read it, beside the process that serves it if there is one. @throws SqliteError */
export function openReadOnly(file: string): Connection {
  return keepStatements(new Database(file, { readonly: true, fileMustExist: true, timeout: READ_TIMEOUT_MS }))
}

/** Before this version, a commit between two checkpoints of other connections could damage the database. */
const OLDEST = [3, 51, 3]

/** @param version as SQLite reports it @throws StoreOpenError when checkpoints beside the writer are not safe with it */
export function refuseOldSqlite(version: string): void {
  if (!isOlder(version.split('.').map(Number), OLDEST)) return
  throw new StoreOpenError(
    `better-sqlite3 contains SQLite ${version}, which can damage a store (https://www.sqlite.org/wal.html#walresetbug): ` +
      `${OLDEST.join('.')} or later is required`,
  )
}

/** Compares number by number: an Intl.Collator with numeric order would take 15 MB of memory. */
function isOlder(version: readonly number[], than: readonly number[]): boolean {
  const at = than.findIndex((number, position) => (version[position] ?? 0) !== number)
  return at !== -1 && (version[at] ?? 0) < than[at]!
}
