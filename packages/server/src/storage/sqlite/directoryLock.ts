import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { createPrivate, keepStatements } from './connection.ts'

/**
 * Locks a data directory for this process.
 *
 * The lock is an exclusive transaction on a separate database that is never committed: the operating system drops it however
 * the process ends, and no pid can be mistaken for another. The pid in the side file is only for the error message. Only SQLite
 * may open the lock's file: POSIX drops all locks of a process on a file as soon as any descriptor of that file is closed.
 * @throws StoreOpenError when another process has the lock.
 */
export function lockDirectory(dataDir: string): { readonly release: () => void } {
  const file = lockFile(dataDir)
  createPrivate(file)
  const lock = keepStatements(new Database(file, { timeout: 0 }))
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new StoreOpenError(refusal(dataDir))
  }
  writeFileSync(pidFile(dataDir), `${process.pid}\n`, { mode: 0o600 })
  return { release: () => lock.close() }
}

/** @returns the message of {@link lockDirectory}; `null` when the directory is not locked. Changes nothing. */
export function whoHolds(dataDir: string): string | null {
  const file = lockFile(dataDir)
  if (!existsSync(file)) return null
  const lock = keepStatements(new Database(file, { readonly: true, timeout: 0 }))
  try {
    lock.prepare('SELECT 1 FROM sqlite_schema').get()
    return null
  } catch (error) {
    if (!isBusy(error)) throw error
    return refusal(dataDir)
  } finally {
    lock.close()
  }
}

const lockFile = (dataDir: string): string => path.join(dataDir, 'lock.db')
const pidFile = (dataDir: string): string => path.join(dataDir, 'lock.pid')

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

function refusal(dataDir: string): string {
  return `data directory ${dataDir} is in use by another posthorn process${holder(dataDir)}`
}

function holder(dataDir: string): string {
  try {
    return ` (pid ${Number.parseInt(readFileSync(pidFile(dataDir), 'utf8'), 10)})`
  } catch {
    return ''
  }
}
