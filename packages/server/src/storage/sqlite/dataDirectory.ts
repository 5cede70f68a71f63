import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { StoreOpenError } from '../storage.ts'

/** The database, within the data directory. */
export const databaseFile = (dataDir: string): string => path.join(dataDir, 'posthorn.db')

/** Commits that are not in the database file yet. */
export const logOf = (database: string): string => `${database}-wal`

/** Whether a file exists and is not empty. */
export const hasBytes = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0

/** Bytes of the database and its log, if they exist. */
export const sizeOnDisk = (dataDir: string): number => {
  const file = databaseFile(dataDir)
  return [file, logOf(file)].reduce(
    (sum, one) => sum + (statSync(one, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

/** Whether there is a database that is not empty. */
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
 * SQLite deletes the log, with all commits in it, if the database is empty or missing.
 * @throws StoreOpenError before it can do so
 */
export function refuseLoneLog(dataDir: string): void {
  const file = databaseFile(dataDir)
  if (hasBytes(file) || !hasBytes(logOf(file))) return
  throw new StoreOpenError(
    `the store in ${dataDir} is damaged: ${path.basename(file)} is missing or empty, but its log ${path.basename(logOf(file))} contains data. Put the database file back, or restore a backup (posthorn restore --force <file>)`,
  )
}

/** Creates the directory, for this user only, if it is missing. @throws StoreOpenError when it cannot be used */
export function prepareDirectory(dataDir: string): void {
  try {
    makeDirectory(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StoreOpenError(`data directory ${dataDir} cannot be used: ${reasonOf(error)}`)
  }
}

/** Level by level: in Node 20, `recursive` never returns if the parent cannot contain directories, as in /proc. */
function makeDirectory(directory: string): void {
  const parent = path.dirname(directory)
  if (parent !== directory && !existsSync(parent)) makeDirectory(parent)
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'it is not a directory'
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to write to it'
  if (code === 'EROFS') return 'the file system is read-only'
  if (code === 'ENOENT')
    return `${path.dirname((error as NodeJS.ErrnoException).path ?? '')} cannot contain directories. Set --data-dir or POSTHORN_DATA_DIR to a directory on a disk`
  return error instanceof Error ? error.message : String(error)
}

/** Syncs a file, or the list of a directory, before it returns. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Exists while the first start creates the key and the store, and is removed before anything is served. It distinguishes an
 * interrupted first start from a store that was lost.
 */
const MARK = 'first-start'
const MARK_TEXT =
  'A store is being created in this directory. This file is removed once the store is complete.\n'

/** Opening a store creates files with these prefixes in its data directory. */
const TRACE = /^(posthorn\.db|lock\.(db|pid)$)/

/** The state of a data directory, only by the names and sizes of files. */
export type Found =
  | { readonly state: 'store' | 'nothing' | 'unfinished' }
  /** There was a store. */
  | { readonly state: 'lost'; readonly isEmpty: boolean; readonly traces: readonly string[] }

/** @param keyFiles names of further files that a store leaves */
export function lookForStore(dataDir: string, keyFiles: readonly string[]): Found {
  const names = namesIn(dataDir)
  const file = databaseFile(dataDir)
  if (names.includes(MARK)) return { state: 'unfinished' }
  if (hasBytes(file)) return { state: 'store' }
  const traces = names.filter((name) => TRACE.test(name) || keyFiles.includes(name))
  if (traces.length === 0) return { state: 'nothing' }
  const database = path.basename(file)
  const others = traces.filter((name) => name !== database).sort()
  return { state: 'lost', isEmpty: traces.length > others.length, traces: others }
}

/** Call this before the first file of a new store is created. */
export function beginStore(dataDir: string): void {
  writeFileSync(path.join(dataDir, MARK), MARK_TEXT, { mode: 0o600, flush: true })
  syncFile(dataDir)
}

/** Call this before anything is served. */
export function storeIsWhole(dataDir: string): void {
  if (!existsSync(path.join(dataDir, MARK))) return
  rmSync(path.join(dataDir, MARK), { force: true })
  syncFile(dataDir)
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir)
  } catch (error) {
    // Other errors are found when it is prepared.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
