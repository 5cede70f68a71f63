import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { StoreOpenError } from '../storage.ts'

/** The database, within the data directory. */
export const databaseFile = (dataDir: string): string => path.join(dataDir, 'posthorn.db')

/** Commits that are not in the database file yet. */
export const logOf = (database: string): string => `${database}-wal`

/** Whether a file is there and holds anything. */
export const hasBytes = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Whether there is a database that holds anything. */
export const storeExists = (dataDir: string): boolean => hasBytes(databaseFile(dataDir))

/** @throws StoreOpenError when the directory has no database, or an empty one */
export function refuseNoDatabase(dataDir: string): void {
  const file = databaseFile(dataDir)
  if (storeExists(dataDir)) return
  refuseLoneLog(dataDir)
  const empty = statSync(file, { throwIfNoEntry: false }) !== undefined
  throw new StoreOpenError(
    `there is no store in ${dataDir}${empty ? `: ${path.basename(file)} is empty` : ''}`,
  )
}

/**
 * SQLite deletes a log whose database is empty or missing, with all that is in it.
 * @throws StoreOpenError before it can do so
 */
export function refuseLoneLog(dataDir: string): void {
  const file = databaseFile(dataDir)
  if (hasBytes(file) || !hasBytes(logOf(file))) return
  throw new StoreOpenError(
    `the store in ${dataDir} is damaged: ${path.basename(file)} is missing or empty, but its log ${path.basename(logOf(file))} holds data. Put the database file back, or restore a backup (posthorn restore --force <file>)`,
  )
}

/** Makes the directory, for this user alone, when it is missing. @throws StoreOpenError when it cannot be used */
export function prepareDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (!statSync(dataDir).isDirectory()) throw new Error('it is not a directory')
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StoreOpenError(`data directory ${dataDir} cannot be used: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is not a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to write to it'
  if (code === 'EROFS') return 'the file system is read-only'
  return error instanceof Error ? error.message : String(error)
}
