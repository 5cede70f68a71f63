import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { StoreOpenError } from '../storage.ts'

/** The database, within the data directory. */
export const databaseFile = (dataDir: string): string => path.join(dataDir, 'posthorn.db')

/** Whether a store was ever made here. */
export const storeExists = (dataDir: string): boolean => existsSync(databaseFile(dataDir))

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
