import { closeSync, openSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { databaseFile } from './dataDirectory.ts'
import type { WorkerSettings } from './messages.ts'

/** Fewer, larger pages and rare checkpoints: 20 to 25 % less work per delivery than SQLite's defaults. */
const PAGE_SIZE = 8192
const CHECKPOINT_PAGES = 10_000
/** After an unusual peak the log file shrinks back to this; otherwise it keeps its largest size for ever. */
const LOG_LIMIT_BYTES = 256 * 1024 * 1024
/** Nobody else writes, so a lock that is not free at once is held by a backup tool or the like. */
const BUSY_TIMEOUT_MS = 250

export type Connection = Database.Database

export function openConnection({ role, dataDir, maxPages }: WorkerSettings): Connection {
  const file = databaseFile(dataDir)
  const readonly = role === 'reader'
  if (!readonly) createPrivate(file)
  const db = new Database(file, { readonly, timeout: BUSY_TIMEOUT_MS })
  if (readonly) return db
  db.pragma(`page_size = ${PAGE_SIZE}`)
  const mode = db.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal')
    throw new StoreOpenError(`${file} is on a file system that cannot hold a database's log`)
  db.pragma('synchronous = FULL')
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  db.pragma(`journal_size_limit = ${LOG_LIMIT_BYTES}`)
  // Only the small tables declare references: see the first migration.
  db.pragma('foreign_keys = ON')
  if (maxPages !== null) db.pragma(`max_page_count = ${maxPages}`)
  return db
}

/**
 * Makes the file readable for this user alone before SQLite sees it; SQLite gives its log files the same mode.
 * A file that exists is left untouched: opening and closing it here would drop this process's own locks on it.
 */
export function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
