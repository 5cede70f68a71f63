import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { createPrivate, keepStatements } from './connection.ts'

/**
 * Keeps every other process away from a data directory while this one lives.
 *
 * The lock is an exclusive transaction on a database of its own that is never committed: the operating system
 * drops it however the process ends, and no pid can be mistaken for another. The pid in the side file serves the
 * error message alone. The lock's file must not be opened by anything but SQLite: POSIX drops all locks of a
 * process on a file as soon as any descriptor of that file is closed.
 * @throws StoreOpenError when another process holds the directory.
 */
export function lockDirectory(dataDir: string): { readonly release: () => void } {
  const file = path.join(dataDir, 'lock.db')
  const pidFile = path.join(dataDir, 'lock.pid')
  createPrivate(file)
  const lock = keepStatements(new Database(file, { timeout: 0 }))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new StoreOpenError(
      `data directory ${dataDir} is in use by another posthorn process${holder(pidFile)}`,
    )
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  return { release: () => lock.close() }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

function holder(pidFile: string): string {
  try {
    return ` (pid ${Number.parseInt(readFileSync(pidFile, 'utf8'), 10)})`
  } catch {
    return ''
  }
}
